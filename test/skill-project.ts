import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from './app.ts';

export interface SkillProject extends TestApp {
  writeFile(path: string, text: string): void;
  /** Writes a skill that is a shell script. */
  writeSkill(name: string, script: string): void;
  writeConstruct(text: string): void;
  runConstruct(params?: Record<string, unknown>): Promise<Json>;
  /** Reads the events of the last run in order. */
  readEvents(): Json[];
  /** Reads the result of an execution of the last run. */
  readResult(phase: string, skill: string, attempt?: number): Json;
  /** Reads all files in `.cleo` as one text. */
  readStoredText(): string;
}

/** Opens a project with a construct and skills, which run as real processes. */
export async function openSkillProject(options: AppOptions = {}): Promise<SkillProject> {
  const app = await openApp({ ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });
  const writeFile = (path: string, text: string): void => {
    const file = join(app.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const findLastRun = (): string =>
    readdirSync(join(app.root, '.cleo', 'runs'))
      .filter((name) => name.startsWith('run-'))
      .sort()
      .at(-1)!;
  return {
    ...app,
    writeFile,
    writeSkill(name, script) {
      writeFile(`skills/${name}/run.sh`, `#!/bin/sh\n${script}\n`);
      chmodSync(join(app.root, 'skills', name, 'run.sh'), 0o755);
    },
    writeConstruct: (text) =>
      writeFile('construct.yaml', `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\n${text}`),
    // Only a person forces a gate.
    runConstruct: (params = {}) => app.call('construct.run', params, 'force' in params ? asPerson : {}),
    readEvents() {
      const traces = join(app.root, '.cleo', 'traces');
      const file = readdirSync(traces).find((name) => name.endsWith(`-${findLastRun()}.jsonl`))!;
      return readFileSync(join(traces, file), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Json);
    },
    readResult: (phase, skill, attempt = 1) =>
      JSON.parse(
        readFileSync(join(app.root, '.cleo', 'runs', findLastRun(), phase, skill, String(attempt), 'result.json'), 'utf8'),
      ) as Json,
    readStoredText: () => readTexts(join(app.root, '.cleo')),
  };
}

function readTexts(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return readTexts(path);
      return entry.isFile() && existsSync(path) ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
