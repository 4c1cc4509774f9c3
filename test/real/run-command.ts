import { spawn } from 'node:child_process';

export interface Ended {
  /** The exit code; `null` after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** Both streams as they came, for a report. */
  readonly output: string;
}

/** Runs a command to its end. After `limitMs` it is asked to stop, and killed if it hasn't 30 s later. */
export function runCommand(
  command: string,
  args: readonly string[],
  { limitMs, stdin = '' }: { readonly limitMs: number; readonly stdin?: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'pipe' });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const asked = setTimeout(() => child.kill('SIGTERM'), limitMs);
    const killed = setTimeout(() => child.kill('SIGKILL'), limitMs + 30_000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(asked);
      clearTimeout(killed);
      resolve({ code, stdout, output });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

/** As `runCommand`; an exit code other than 0 is thrown, with the end of what the command said. */
export async function runWell(
  command: string,
  args: readonly string[],
  options: { readonly limitMs: number; readonly stdin?: string },
): Promise<Ended> {
  const ended = await runCommand(command, args, options);
  if (ended.code !== 0) {
    const end = ended.output.trimEnd().split('\n').slice(-25).join('\n');
    throw new Error(`${command} ended with ${String(ended.code)}:\n${end}`);
  }
  return ended;
}
