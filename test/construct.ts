import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type HouseOptions, openHouse, type Seen, type TestHouse } from './house.ts';

export interface Workshop extends TestHouse {
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
export async function openWorkshop(options: HouseOptions = {}): Promise<Workshop> {
  const house = await openHouse({ ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });
  const put = (path: string, text: string): void => {
    const place = join(house.root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  };
  const lastRun = (): string =>
    readdirSync(join(house.root, '.cleo', 'runs'))
      .filter((name) => name.startsWith('run-'))
      .sort()
      .at(-1)!;
  return {
    ...house,
    put,
    skill(name, script) {
      put(`skills/${name}/run.sh`, `#!/bin/sh\n${script}\n`);
      chmodSync(join(house.root, 'skills', name, 'run.sh'), 0o755);
    },
    construct: (text) => put('construct.yaml', `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\n${text}`),
    run: (params = {}) => house.call('construct.run', params),
    events() {
      const traces = join(house.root, '.cleo', 'traces');
      const file = readdirSync(traces).find((name) => name.endsWith(`-${lastRun()}.jsonl`))!;
      return readFileSync(join(traces, file), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Seen);
    },
    result: (phase, skill, attempt = 1) =>
      JSON.parse(readFileSync(join(house.root, '.cleo', 'runs', lastRun(), phase, skill, String(attempt), 'result.json'), 'utf8')) as Seen,
    kept: () => textOf(join(house.root, '.cleo')),
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
