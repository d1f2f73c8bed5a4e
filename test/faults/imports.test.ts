import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type App, dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { type ImportTool, importTools } from '../../src/transfer/rules/detect-tool.ts';
import { type Json, openApp } from '../app.ts';
import { createHostileImport, type HostileImport } from '../imports/hostile-files.ts';
import { createChoices, pickSeed } from '../random.ts';
import { runWordsInApp } from '../run-words.ts';
import { createFaultFolder, createFaultProject, isFull, pickSize } from './processes.ts';

const seed = pickSeed(isFull);
const stackTrace = /\n\s+at .+:\d+:\d+/;
const maxImportMs = 5000;
/** Imports in this process and by the built command: `CLEO_FAULTS=full` runs the long form. */
const counts = { inProcess: pickSize(90, 6000), processes: pickSize(6, 360) };

interface Project {
  app: App;
  root: string;
  env: Record<string, string>;
}

/** Returns a function that opens a copy of an empty project. */
async function prepareProjects(): Promise<() => Project> {
  const template = await openApp({ engine: 'sqlite' });
  const folder = createFaultFolder();
  let count = 0;
  return () => {
    const root = join(folder, String(++count));
    cpSync(join(template.root, '.cleo'), join(root, '.cleo'), { recursive: true });
    const env = { ...template.env, CLEO_ROOT: root, CLEO_HOME: join(root, 'home') };
    return { app: createApp(createPlatform(env, root, '0.0.0-test')), root, env };
  };
}

function writeFiles(folder: string, { files }: HostileImport): string {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return files.size > 1 || [...files.keys()][0]?.includes('/') ? folder : join(folder, [...files.keys()][0]!);
}

/** Checks that an import ends with an answer of the catalog, and that nothing readable was lost. */
function checkImport(what: string, { intact }: HostileImport, exitCode: number | null, out: string, answer: Json): void {
  expect([what, exitCode, stackTrace.test(out)]).toEqual([what, expect.any(Number), false]);
  expect([what, [0, 2, 3, 6, 102].includes(exitCode!), out.slice(0, 500)]).toEqual([what, true, expect.any(String)]);
  if (exitCode === 2 || exitCode === 3)
    expect([what, answer.error?.exitCode, answer.error?.fix]).toEqual([what, exitCode, expect.any(String)]);
  if (intact) expect([what, answer.success, out.slice(0, 500)]).toEqual([what, true, expect.any(String)]);
}

test(`${counts.inProcess} generated and hostile files end with an answer, and what can be read is imported`, async () => {
  const choices = createChoices(seed);
  const openProject = await prepareProjects();
  let project = openProject();
  const seen = { success: 0, error: 0 };
  for (let i = 0; i < counts.inProcess; i++) {
    const tool = importTools[i % importTools.length]!;
    const source = `s${i}`;
    // The second file has other damages, and meets the tasks of the first.
    for (const turn of choices.chance(0.3) ? [1, 2] : [1]) {
      const given = createHostileImport(choices, tool);
      const path = writeFiles(join(project.root, 'source'), given);
      const what = `seed ${seed}, import ${i}.${turn}, ${tool}, ${given.kind}`;
      const words = ['import', path, '--from', tool, '--source', source];
      const startedAt = performance.now();
      const { exitCode, out, envelope } = await runWordsInApp(project.app, project.env, [...words, '--limit', '1000']);
      expect([what, performance.now() - startedAt < maxImportMs]).toEqual([what, true]);
      checkImport(what, given, exitCode, out, envelope);
      seen[envelope.success ? 'success' : 'error'] += 1;
      if (given.intact) {
        // A record in a folder of completed tasks is archived, so that `tasks.find` does not list it.
        const { content } = (await dispatch(project.app, { operation: 'tasks.export', params: {}, gateway: 'cli' })).envelope as Json;
        expect([what, content.includes(`"title":${JSON.stringify(given.intact)}`)]).toEqual([what, true]);
      }
    }
    if (i % 120 === 119 || i === counts.inProcess - 1) {
      const { envelope } = await dispatch(project.app, { operation: 'admin.doctor', params: {}, gateway: 'cli' });
      const findings = (envelope as Json).findings.filter(({ taskId }: Json) => taskId);
      expect([`seed ${seed}, until import ${i}`, findings]).toEqual([expect.any(String), []]);
      await project.app.closeStores();
      rmSync(project.root, { recursive: true, force: true });
      project = openProject();
    }
  }
  expect(({} as Json).polluted).toBeUndefined();
  expect(seen.success).toBeGreaterThan(counts.inProcess / 2);
  expect(seen.error).toBeGreaterThan(0);
});

test(`${counts.processes} hostile files through the built command never exit with 1`, async () => {
  const project = await createFaultProject();
  const choices = createChoices(seed + 1);
  for (let i = 0; i < counts.processes; i++) {
    const tool: ImportTool = importTools[i % importTools.length]!;
    const given = createHostileImport(choices, tool);
    const path = writeFiles(join(project.root, 'source'), given);
    const what = `seed ${seed + 1}, file ${i}, ${tool}, ${given.kind}`;
    const { exitCode, stdout, stderr, answer } = await project.run(['import', path, '--from', tool, '--source', `s${i}`]);
    expect([what, stderr]).toEqual([what, '']);
    checkImport(what, given, exitCode, stdout, answer);
  }
});

test('folders, links and odd paths end with an error that names the path', async () => {
  const project = await createFaultProject();
  const root = join(project.root, 'odd');
  mkdirSync(join(root, 'empty'), { recursive: true });
  mkdirSync(join(root, 'issues.jsonl'));
  mkdirSync(join(root, 'loop', 'backlog', 'tasks'), { recursive: true });
  symlinkSync('.', join(root, 'loop', 'backlog', 'tasks', 'again'));
  symlinkSync('b', join(root, 'a'));
  symlinkSync('a', join(root, 'b'));
  symlinkSync('missing', join(root, 'dangling'));
  writeFileSync(join(root, 'loop', 'backlog', 'tasks', 'task-1 - x.md'), '---\nid: TASK-1\ntitle: Found\n---\n');
  symlinkSync('task-1 - x.md', join(root, 'loop', 'backlog', 'tasks', 'task-2 - link.md'));
  const runs: [from: string, path: string, exitCodes: number[]][] = [
    ['beads', join(root, 'empty'), [3]],
    ['beads', join(root, 'issues.jsonl'), [3]],
    ['beads', join(root, 'a'), [3]],
    ['beads', join(root, 'dangling'), [3]],
    ['beads', join(root, 'missing'), [3]],
    ['beads', '/dev/zero', [3]],
    ['todo.txt', '/dev/null', [3]],
    ['backlog', join(root, 'loop'), [0]],
    ['todo.txt', project.root, [3]],
  ];
  for (const [from, path, exitCodes] of runs) {
    const { exitCode, stdout, stderr, answer } = await project.run(['import', path, '--from', from]);
    expect([from, path, exitCodes.includes(exitCode!), stdout, stderr]).toEqual([from, path, true, expect.any(String), '']);
    expect([path, stackTrace.test(stdout)]).toEqual([path, false]);
    if (exitCode === 3) expect(answer.error.message).toContain(path.replace(`${project.root}/`, ''));
  }
  expect(await project.runOk(['list'])).toMatchObject({ tasks: [{ title: 'Found' }] });
});
