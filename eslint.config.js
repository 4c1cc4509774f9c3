import tseslint from 'typescript-eslint';

const rooms = ['domain', 'db', 'web', 'store', 'activities', 'workflows', 'workers', 'cli'];

/** Forbids imports from the named rooms; an import may skip rooms, never turn back. */
const noRooms = (names) =>
  names.map((name) => ({
    group: [`**/${name}/**`],
    message: `No import of ${name}/ from here: see the arrows in ARCHITECTURE.md.`,
  }));

/** One block a room: which rooms and packages it may not reach, and what to do instead. */
const wall = (room, allowedRooms, bannedPackages = [], extra = {}) => ({
  files: [`${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          ...noRooms(rooms.filter((name) => name !== room && !allowedRooms.includes(name))),
          ...noRooms(['test', 'bench']),
          ...bannedPackages,
        ],
      },
    ],
    ...extra,
  },
});

const banned = (group, message) => ({ group, message });
const noSql = banned(['pg', 'pg-*'], 'SQL lives in db/.');
const noNetwork = banned(
  [
    'undici',
    'cheerio',
    'cheerio/*',
    'htmlparser2',
    'node:http',
    'node:https',
    'node:net',
    'node:dns',
    'node:dns/*',
    'node:tls',
  ],
  'Network and HTML live in web/.',
);
const noTemporal = banned(
  ['@temporalio/*'],
  'Temporal is spoken in workflows/, activities/, workers/ and cli/.',
);
const noEnvironment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'The environment is read in workers/config.ts; take the value as an argument.',
  },
];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      '.decorum/**',
      'coverage/**',
      'test/workflows/histories/**',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'error',
    },
  },
  wall(
    'domain',
    [],
    [
      noSql,
      noNetwork,
      noTemporal,
      banned(['node:*'], 'domain/ is pure: take what you need as an argument.'),
    ],
    {
      'no-restricted-globals': [
        'error',
        { name: 'Date', message: 'Take `nowMs` as an argument.' },
        { name: 'process', message: 'domain/ is pure.' },
        { name: 'setTimeout', message: 'domain/ is pure.' },
        { name: 'fetch', message: 'domain/ is pure.' },
        { name: 'performance', message: 'Take a time as an argument.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Take `random` as an argument.' },
      ],
    },
  ),
  wall('db', ['domain'], [noNetwork, noTemporal], {
    'no-restricted-syntax': ['error', ...noEnvironment],
  }),
  wall('web', ['domain'], [noSql, noTemporal], {
    'no-restricted-syntax': ['error', ...noEnvironment],
  }),
  wall('store', ['domain'], [noSql, noNetwork, noTemporal], {
    'no-restricted-syntax': ['error', ...noEnvironment],
  }),
  wall('activities', ['domain', 'db', 'web', 'store', 'workflows'], [noSql, noNetwork], {
    'no-restricted-syntax': ['error', ...noEnvironment],
  }),
  wall(
    'workflows',
    ['domain', 'activities'],
    [
      noSql,
      noNetwork,
      banned(['node:*'], 'Workflow code is deterministic.'),
      banned(
        ['@temporalio/activity', '@temporalio/client', '@temporalio/worker'],
        'Workflow code only knows @temporalio/workflow.',
      ),
    ],
    { 'no-restricted-syntax': ['error', ...noEnvironment] },
  ),
  wall('workers', ['domain', 'db', 'web', 'store', 'activities', 'workflows']),
  { files: ['cli/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...noEnvironment] } },
  {
    files: ['workers/config.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['cli/**/*.ts', 'bench/**/*.ts', 'test/support/demo.ts', 'test/real/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  { files: ['eslint.config.js'], ...tseslint.configs.disableTypeChecked },
);
