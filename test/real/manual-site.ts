import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A folder of HTML served by nginx under a name of its own on loopback. */
export interface ManualSite {
  /** The home page; all others lie below it. */
  readonly url: string;
  readonly port: number;
  /** What nginx itself says it was asked, in the order in which it answered. */
  readonly requests: () => Promise<readonly LoggedRequest[]>;
  readonly stop: () => Promise<void>;
}

export interface LoggedRequest {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly userAgent: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** A name below `localhost` is loopback by RFC 6761 §6.3, so no name server need know it. */
const HOST = 'git-doc.localhost';

/** The page that the site's robots.txt keeps crawlers from, though others link to it. */
export const DISALLOWED_PATH = '/howto/new-command.html';

/** Starts nginx in the foreground, as a child, with everything that it writes in `workDir`. */
export async function serveManual(
  nginx: string,
  htmlDir: string,
  workDir: string,
): Promise<ManualSite> {
  const port = await freePort();
  await mkdir(workDir, { recursive: true });
  const configFile = join(workDir, 'nginx.conf');
  await writeFile(configFile, nginxConfig(workDir, htmlDir, port));
  const errorLog = join(workDir, 'error.log');
  const child = spawn(nginx, ['-p', workDir, '-c', configFile, '-e', errorLog], {
    stdio: 'ignore',
  });
  await answering(child, port, errorLog);

  const url = `http://${HOST}:${port}/`;
  return {
    url,
    port,
    requests: async () => parseLog(await readFile(join(workDir, 'access.log'), 'utf8'), url),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGQUIT');
      await once(child, 'exit');
    },
  };
}

/** Every path is named, so that nothing lands in the places of a system-wide nginx. */
function nginxConfig(workDir: string, htmlDir: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${join(workDir, kind)};`)
    .join('\n');
  return `
daemon off;
worker_processes 1;
pid ${join(workDir, 'nginx.pid')};
error_log ${join(workDir, 'error.log')};
events { worker_connections 64; }
http {
${temporary}
  types { text/html html; text/css css; text/plain txt; }
  charset utf-8;
  gzip on;
  log_format tabbed escape=json
    '$request_uri\\t$status\\t$sent_http_content_type\\t$http_user_agent\\t$msec\\t$request_time';
  access_log ${join(workDir, 'access.log')} tabbed;
  server { listen 127.0.0.1:${port} default_server; return 421; }
  server {
    listen 127.0.0.1:${port};
    server_name ${HOST};
    root ${htmlDir};
    location = /robots.txt { return 200 "User-agent: *\\nDisallow: ${DISALLOWED_PATH}\\n"; }
  }
}
`;
}

function parseLog(log: string, siteUrl: string): readonly LoggedRequest[] {
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [path = '', status, contentType = '', userAgent = '', endedAt, took] = line.split('\t');
    const endedAtMs = Number(endedAt) * 1_000;
    return {
      url: new URL(path, siteUrl).href,
      status: Number(status),
      contentType,
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
