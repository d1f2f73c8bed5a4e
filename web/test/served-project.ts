import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleoPath, cleoRunner } from '../../test/built-cli.ts';
import { trustProject } from '../../test/trust.ts';

/** A project with a running `cleo serve`. */
export interface ServedProject {
  root: string;
  url: string;
  /** The address that `serve --open` opens: with the secret that allows writing. */
  page: string;
  /** Runs the command in the project and returns its answer. */
  cleo(...words: string[]): Promise<Answer>;
  /** Calls an operation as a program that is not a browser. */
  post(path: string, params?: object): Promise<Answer>;
  stopServer(): Promise<void>;
  /** Starts the server again on the same port. */
  restartServer(): Promise<void>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer has the keys of its operation
export type Answer = any;

export interface ServeProjectOptions {
  env?: Record<string, string>;
  /** Further words of `cleo serve`. */
  words?: string[];
  /** Settings of the project. */
  config?: object;
  /** Runs before the server starts. */
  prepare?: (root: string, home: string) => Promise<unknown>;
  /** Starts a further server for this project. */
  sameAs?: ServedProject;
}

export async function serveProject({
  env = {},
  words = [],
  config = {},
  prepare,
  sameAs,
}: ServeProjectOptions = {}): Promise<ServedProject> {
  const top = sameAs ? join(sameAs.root, '..') : realpathSync(mkdtempSync(join(tmpdir(), 'cleo-web-')));
  const root = join(top, 'parser');
  const environment = { PATH: process.env.PATH, HOME: join(top, 'home'), CLEO_AGENT_ID: 'ada', ...env };
  mkdirSync(join(top, 'home'), { recursive: true });
  mkdirSync(root, { recursive: true });
  const removeFolder = (): void => {
    if (!sameAs) rmSync(top, { recursive: true, force: true });
  };
  const cleo = async (...args: string[]): Promise<Answer> => {
    const { stdout } = await promisify(execFile)(cleoRunner, [cleoPath, ...args, '--json'], { cwd: root, env: environment }).catch(
      (error) => {
        if (error.stdout) return error;
        throw error;
      },
    );
    return JSON.parse(stdout);
  };
  let child: ChildProcess | undefined;
  const start = async (port: number): Promise<Answer> => {
    const started = spawn(cleoRunner, [cleoPath, 'serve', '--port', String(port), ...words], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    return new Promise((resolveLine, reject) => {
      let [out, err] = ['', ''];
      started.stderr.setEncoding('utf8').on('data', (text) => {
        err += text;
      });
      started.stdout.setEncoding('utf8').on('data', (text) => {
        out += text;
        if (out.includes('\n')) resolveLine(JSON.parse(out).listening);
      });
      started.on('exit', () => reject(new Error(`serve ended: ${out}${err}`)));
    });
  };
  const stop = async (): Promise<void> => {
    const ended = child;
    child = undefined;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    const exited = once(ended, 'exit');
    ended.kill('SIGKILL');
    await exited;
  };
  try {
    if (!sameAs) await cleo('init');
    const configFile = join(root, '.cleo', 'config.json');
    if (!sameAs) {
      writeFileSync(configFile, JSON.stringify({ ...JSON.parse(readFileSync(configFile, 'utf8')), ...config }));
      await trustProject(root, environment);
    }
    await prepare?.(root, environment.HOME);
    const listening = await start(0);
    const project: ServedProject = {
      root,
      url: listening.url,
      page: listening.page,
      cleo,
      async post(path, params = {}) {
        const response = await fetch(`${listening.url}/api/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'cleo-agent': 'ada' },
          body: JSON.stringify(params),
        });
        return response.json();
      },
      stopServer: stop,
      async restartServer() {
        await stop();
        project.page = (await start(listening.port)).page;
      },
      async close() {
        await stop();
        removeFolder();
      },
    };
    return project;
  } catch (error) {
    await stop();
    removeFolder();
    throw error;
  }
}
