import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AppOptions, openApp, type Seen, type TestApp } from './app.ts';

export interface Workshop extends TestApp {
  put(path: string, text: string): void;
  /** A skill that is a shell script. */
  skill(name: string, script: string): void;
  construct(text: string): void;
  run(params?: Record<string, unknown>): Promise<Seen>;
  /** The events of the last run, in order. */
  events(): Seen[];
  /** The result of an execution of the last run. */
  result(phase: string, skill: string, attempt?: number): Seen;
  /** Every file that was kept, as one text. */
  kept(): string;
}

/** A project with skills and a construct, which run as real processes. */
export async function openWorkshop(options: AppOptions = {}): Promise<Workshop> {
  const app = await openApp({ ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });
  const put = (path: string, text: string): void => {
    const place = join(app.root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  };
  const lastRun = (): string =>
    readdirSync(join(app.root, '.cleo', 'runs'))
      .filter((name) => name.startsWith('run-'))
      .sort()
      .at(-1)!;
  return {
    ...app,
    put,
    skill(name, script) {
      put(`skills/${name}/run.sh`, `#!/bin/sh\n${script}\n`);
      chmodSync(join(app.root, 'skills', name, 'run.sh'), 0o755);
    },
    construct: (text) => put('construct.yaml', `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\n${text}`),
    run: (params = {}) => app.call('construct.run', params),
    events() {
      const traces = join(app.root, '.cleo', 'traces');
      const file = readdirSync(traces).find((name) => name.endsWith(`-${lastRun()}.jsonl`))!;
      return readFileSync(join(traces, file), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Seen);
    },
    result: (phase, skill, attempt = 1) =>
      JSON.parse(readFileSync(join(app.root, '.cleo', 'runs', lastRun(), phase, skill, String(attempt), 'result.json'), 'utf8')) as Seen,
    kept: () => textOf(join(app.root, '.cleo')),
  };
}

function textOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return textOf(path);
      return entry.isFile() && existsSync(path) ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
