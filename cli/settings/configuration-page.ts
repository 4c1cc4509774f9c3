import { SETTINGS, standardOf } from './setting-table.ts';
import type { Setting } from './setting-table.ts';

const GROUPS: readonly (readonly [Setting['group'], heading: string, text: string])[] = [
  [
    'crawl',
    'Settings of a crawl',
    'Kept with the crawl: `decorum crawl` under its name goes on with them, and says which it changes. Durations are written as `500ms`, `90s`, `15m` or `1h30m`, and a plain number means seconds; sizes as `500kB` or `5MB`, and a plain number means bytes.',
  ],
  ['command', 'Settings of a command', ''],
  [
    'server',
    'Settings of the servers',
    'They have no flags. The servers of a data folder keep those with which they were started until they stop. More of the environment is in [operations.md](operations.md#environment).',
  ],
];

/** `docs/configuration.md`, before it is formatted. */
export function configurationPage(): string {
  return `${HEAD}\n${GROUPS.map(section).join('\n')}`;
}

/** The JSON schema of a configuration file, for editors, before it is formatted. */
export function configurationSchema(): string {
  const properties = Object.fromEntries(
    SETTINGS.map((setting) => [setting.key, { ...setting.kind.schema, ...wordsOf(setting) }]),
  );
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of Decorum',
    type: 'object',
    properties,
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const HEAD = `# Configuration

<!-- Written by "npm run docs" from cli/settings/setting-table.ts. -->

What is set comes from the first of these that says it:

1. a flag of the command,
2. the file of \`--config FILE\`, else of the variable \`DECORUM_CONFIG\`,
3. the environment,
4. for settings of a crawl: what the crawl has kept,
5. the default.

\`npx decorum config\` prints what is in force here, and where each came from; with \`--name\` also what that crawl has kept.

## The file

YAML, one \`key: value\` a line. Values are written as for the flag; a list may also be one of YAML's. One file serves all
commands, which take from it what they use. Paths are relative to the file's folder. A file with a fault is refused as a whole,
and each fault is named with its line.

\`\`\`yaml
# yaml-language-server: $schema=node_modules/decorum/docs/decorum-config.schema.json
contact: https://you.example/bot
pages: 10000
minGap: 2s
retries: [1h, 6h]
data: crawls
\`\`\`

Its schema for editors is [decorum-config.schema.json](decorum-config.schema.json): put its path in the first line.
`;

function section([group, heading, text]: (typeof GROUPS)[number]): string {
  const settings = SETTINGS.filter((setting) => setting.group === group);
  const isServer = group === 'server';
  const head = ['Key', isServer ? 'Variable' : 'Flag', 'Default', 'Says'];
  const rows = settings.map((setting) => [
    `\`${setting.key}\``,
    isServer ? `\`${setting.variable ?? ''}\`` : flagsOf(setting),
    defaultOf(setting),
    setting.description.replaceAll('|', '\\|'),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${heading}\n\n${text}\n\n${lines.join('\n')}\n`;
}

function flagsOf({ flag = '', opposite }: Setting): string {
  const flags = [flag, ...(opposite === undefined ? [] : [opposite[0]])];
  return flags.map((one) => `\`${one}\``).join(', ');
}

function defaultOf(setting: Setting): string {
  const standard = standardOf(setting);
  return standard === undefined ? (setting.unset ?? '') : `\`${standard}\``;
}

function wordsOf(setting: Setting): Readonly<Record<string, unknown>> {
  const { description } = setting;
  const words = defaultOf(setting).replaceAll('`', '');
  return { description: words === '' ? description : `${description} (default: ${words})` };
}
