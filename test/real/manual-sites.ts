import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENTRY_PATH, MANUAL_HOSTS, type ManualHost, type Origins } from './manual-hosts.ts';
import type { HtmlDirs } from './required-tools.ts';

/** The manuals on nginx, each under a name of its own on loopback. */
export interface ManualSites {
  readonly port: number;
  readonly origins: Origins;
  /** The page that links to each of them. */
  readonly entryUrl: string;
  /** What nginx itself says it was asked, in the order in which it answered. */
  readonly requests: () => Promise<readonly LoggedRequest[]>;
  readonly stop: () => Promise<void>;
}

export interface LoggedRequest {
  /** As it was asked for: nothing in it has been put right. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly userAgent: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Starts nginx in the foreground, as a child, with everything that it writes in `workDir`. */
export async function serveManuals(
  nginx: string,
  htmlDirs: HtmlDirs,
  workDir: string,
): Promise<ManualSites> {
  const port = await freePort();
  const origins = originsOn(port);
  await mkdir(workDir, { recursive: true });
  const configFile = join(workDir, 'nginx.conf');
  await writeFile(configFile, nginxConfig(workDir, htmlDirs, port, origins));
  const errorLog = join(workDir, 'error.log');
  const child = spawn(nginx, ['-p', workDir, '-c', configFile, '-e', errorLog], {
    stdio: 'ignore',
  });
  await answering(child, port, errorLog);

  return {
    port,
    origins,
    entryUrl: origins.git + ENTRY_PATH,
    requests: async () => parseLog(await readFile(join(workDir, 'access.log'), 'utf8'), port),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGQUIT');
      await once(child, 'exit');
    },
  };
}

/** Those that went to one host, in their order. */
export function requestsTo<T extends { readonly url: string }>(
  { manual }: ManualHost,
  { origins }: ManualSites,
  requests: readonly T[],
): readonly T[] {
  return requests.filter(({ url }) => url.startsWith(`${origins[manual]}/`));
}

function originsOn(port: number): Origins {
  const origins = MANUAL_HOSTS.map(({ manual, host }) => [manual, `http://${host}:${port}`]);
  return Object.fromEntries(origins) as Origins;
}

/** Every path is named, so that nothing lands in the places of a system-wide nginx. */
function nginxConfig(workDir: string, htmlDirs: HtmlDirs, port: number, origins: Origins): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${join(workDir, kind)};`)
    .join('\n');
  const servers = MANUAL_HOSTS.map((one) => serverBlock(one, htmlDirs[one.manual], port, origins));
  return `
daemon off;
worker_processes 1;
pid ${join(workDir, 'nginx.pid')};
error_log ${join(workDir, 'error.log')};
events { worker_connections 64; }
http {
${temporary}
  types { text/html html; text/css css; text/plain txt py; image/png png; }
  # nginx knows no escape for the sign.
  geo $dollar { default "$"; }
  gzip on;
  gzip_types text/plain;
  log_format tabbed escape=json
    '$host\\t$request_uri\\t$status\\t$sent_http_content_type\\t$sent_http_content_encoding\\t'
    '$http_user_agent\\t$msec\\t$request_time';
  access_log ${join(workDir, 'access.log')} tabbed;
  server { listen 127.0.0.1:${port} default_server; return 421; }
${servers.join('\n')}
}
`;
}

function serverBlock(
  { host, robots, directives }: ManualHost,
  htmlDir: string,
  port: number,
  origins: Origins,
): string {
  const text = robots.map((line) => line.replaceAll('$', '${dollar}') + '\\n').join('');
  return `
  server {
    listen 127.0.0.1:${port};
    server_name ${host};
    root ${htmlDir};
    location = /robots.txt { default_type text/plain; return 200 "${text}"; }
    ${directives(origins).join('\n    ')}
  }`;
}

function parseLog(log: string, port: number): readonly LoggedRequest[] {
  // A line that nginx is still writing has no end yet.
  const lines = log.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [host = '', path = '', status, contentType = '', contentEncoding = '', ...rest] =
      line.split('\t');
    const [userAgent = '', endedAt, took] = rest;
    const endedAtMs = Number(endedAt) * 1_000;
    return {
      url: `http://${host}:${port}${path}`,
      status: Number(status),
      contentType,
      contentEncoding,
      userAgent,
      startedAtMs: endedAtMs - Number(took) * 1_000,
      endedAtMs,
    };
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(child: ChildProcess, port: number, errorLog: string): Promise<void> {
  const deadlineMs = Date.now() + 15_000;
  let ended: string | undefined;
  child.on('error', (error) => (ended = error.message));
  child.on('exit', (code) => (ended = `exit code ${String(code)}`));
  while (!(await accepts(port))) {
    if (ended !== undefined || Date.now() > deadlineMs) {
      child.kill('SIGKILL');
      const log = await readFile(errorLog, 'utf8').catch(() => '');
      throw new Error(`nginx doesn't answer (${ended ?? 'yet it runs'})\n${log}`);
    }
    await sleep(50);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
