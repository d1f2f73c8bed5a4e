import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { createRepository, gitIdentity } from '../../../test/repository.ts';

const scripted = (code: string, fields: object = {}) => ({
  lifecycleEnforcement: { mode: 'off' },
  work: { profile: 'scripted', rounds: 1 },
  profiles: { scripted: { argv: [process.execPath, '-e', code], ...fields } },
});
const done = 'Implementation complete. See MANIFEST.jsonl for summary.';
/** An agent that commits a file and leaves the task to `cleo work`. */
const committing = `
  const { execFileSync } = require('node:child_process');
  require('node:fs').writeFileSync(process.env.CLEO_AGENT_ID + '.txt', 'done');
  execFileSync('git', ['add', '--all']);
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'work']);
  console.log(${JSON.stringify(done)});`;

async function createProject(config: Record<string, unknown>, tasks: string[]) {
  const app = await openApp({ config, tasks: ['T001 epic', ...tasks], env: gitIdentity });
  const repository = createRepository(app.root);
  writeFileSync(join(app.root, '.gitignore'), '.cleo\nhome\n');
  repository.commit({ 'a.txt': 'first' });
  return { ...app, repository };
}

test('work.run does the tasks of a scope in the order of their dependencies', async () => {
  const { call, repository } = await createProject(scripted(committing), ['T002 in T001', 'T003 in T001 depends T002', 'T004']);
  const { work } = await call('work.run', { scope: 'epic:T001' });
  expect(work).toMatchObject({
    reason: 'nothing-ready',
    tasks: [
      { taskId: 'T002', outcome: 'done' },
      { taskId: 'T003', outcome: 'done' },
    ],
  });
  // The later task starts with the work of the task that it depends on.
  expect(repository.git('ls-tree', '--name-only', work.tasks[1].branch).split('\n')).toEqual(
    expect.arrayContaining(['T002-worker-1.txt', 'T003-worker-1.txt']),
  );
  expect((await call('tasks.show', { taskId: 'T004' })).task.status).toBe('pending');
});

test('work.run does the epics of a saga, and with the scope global all epics', async () => {
  const tasks = ['T002 saga', 'T003 epic in T002', 'T004 in T003', 'T005 in T001'];
  const { call } = await createProject(scripted(committing), tasks);
  const run = async (scope: string) => (await call('work.run', { scope })).work.tasks.map(({ taskId }: { taskId: string }) => taskId);
  expect(await run('saga:T002')).toEqual(['T004']);
  expect(await run('global')).toEqual(['T005']);
});

test('work.run takes the id of a task as the scope of everything below it', async () => {
  const { call, cli } = await createProject(scripted(committing), ['T002 in T001', 'T003 in T001', 'T004 epic', 'T005 in T004']);
  const listReady = async (...words: string[]): Promise<string[]> =>
    (await cli(['work', ...words, '--dry-run'])).envelope.work.tasks.map(({ taskId }: { taskId: string }) => taskId);
  expect(await listReady('T001')).toEqual(['T002', 'T003']);
  expect(await listReady('epic:T004')).toEqual(['T005']);
  expect(await listReady('--scope', 't3')).toEqual(['T003']);
  expect((await cli(['work', 'T900', '--dry-run'])).envelope.error).toMatchObject({ code: 'E_NOT_FOUND', exitCode: 4 });
  expect((await cli(['work', 'everything'])).envelope.error).toMatchObject({ code: 'E_SCOPE_INVALID', fix: 'cleo work global' });
  expect((await call('work.run', { scope: 'T004' })).work.tasks).toMatchObject([{ taskId: 'T005', outcome: 'done' }]);
});

test.each([
  ['file', 'fs.readFileSync(process.argv.at(-1), "utf8")'],
  ['arg', 'process.argv.at(-1)'],
  ['stdin', 'fs.readFileSync(0, "utf8")'],
])('a profile passes the prompt by %s', async (prompt, read) => {
  const code = `const fs = require('node:fs'); console.log(${read}.split('\\n')[0]); ${committing}`;
  const { call } = await createProject(scripted(code, { prompt }), ['T002 in T001']);
  expect((await call('work.run', {})).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'done' }]);
  expect((await call('work.logs', { taskId: 'T002' })).log).toBe(`# Do T002\n${done}\n`);
});

test('work.setup runs once in a worktree, also if its task takes several rounds and runs', async () => {
  const config = scripted(`console.log('Implementation partial. See MANIFEST.jsonl for details.')`);
  const setup = [process.execPath, '-e', 'fs.appendFileSync("node_modules.txt", "set up\\n")'];
  const { call, root } = await createProject({ ...config, work: { ...config.work, setup, rounds: 2 } }, ['T002 in T001: Work']);
  await call('work.run', {});
  await call('work.run', { retry: true });
  expect(readFileSync(join(root, '.cleo', 'worktrees', 'T002-work', 'node_modules.txt'), 'utf8')).toBe('set up\n');
});

test('work.run in place needs no worktree, and no second agent', async () => {
  const { call, root } = await createProject(scripted(committing), ['T002 in T001']);
  expect((await call('work.run', { inPlace: true, parallel: 2 })).error).toMatchObject({ code: 'E_VALIDATION_PARALLEL' });
  expect((await call('work.run', { inPlace: true })).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'done' }]);
  expect(readFileSync(join(root, 'T002-worker-1.txt'), 'utf8')).toBe('done');
});

test.each([
  [{ scope: 'epic:T900' }, 'E_SCOPE_INVALID'],
  [{ for: '2 weeks' }, 'E_VALIDATION_FOR'],
  [{ for: '2h', until: '2030-01-01' }, 'E_VALIDATION_FOR'],
  [{ profile: 'nobody' }, 'E_CONFIG_ERROR'],
])('work.run rejects %j', async (params, code) => {
  const { call } = await createProject(scripted(committing), ['T002 in T001']);
  expect((await call('work.run', params)).error.code).toBe(code);
});

test('a budget ends the run with a summary', async () => {
  const { call } = await createProject(scripted(committing), ['T002 in T001', 'T003 in T001']);
  expect((await call('work.run', { maxTasks: 1 })).work).toMatchObject({ reason: 'tasks', tasks: [{ taskId: 'T002' }] });
  expect((await call('work.run', { until: '2020-01-01' })).work).toMatchObject({ reason: 'time', tasks: [] });
  expect((await call('work.run', { until: '2100-01-01T10:00Z' })).work).toMatchObject({
    reason: 'nothing-ready',
    tasks: [{ taskId: 'T003', outcome: 'done' }],
  });
});

test('money that is used up ends the run', async () => {
  const result = JSON.stringify({ type: 'result', result: done, total_cost_usd: 0.5, usage: { input_tokens: 10, output_tokens: 2 } });
  const code = committing.replace(JSON.stringify(done), JSON.stringify(result));
  const config = scripted(code, { output: 'claude-json' });
  const { call } = await createProject(config, ['T002 in T001', 'T003 in T001', 'T004 in T001']);
  expect((await call('work.run', { budgetUsd: 0.8 })).work).toMatchObject({
    reason: 'cost',
    tasks: [{ taskId: 'T002' }, { taskId: 'T003', usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.5 } }],
    usage: { costUsd: 1 },
  });
});

test('a daemon ends at its limits, also while it waits for tasks', async () => {
  const { call } = await createProject(scripted(committing), []);
  expect((await call('work.run', { daemon: true, for: '1s' })).work).toMatchObject({ reason: 'time', tasks: [] });
});

test('a limit that one agent reaches ends the wait of the others', async () => {
  const result = JSON.stringify({ type: 'result', result: done, total_cost_usd: 0.5 });
  const code = `setTimeout(() => {}, 700); ${committing.replace(JSON.stringify(done), JSON.stringify(result))}`;
  const { call } = await createProject(scripted(code, { output: 'claude-json' }), ['T002 in T001']);
  expect((await call('work.run', { daemon: true, parallel: 2, budgetUsd: 0.4 })).work).toMatchObject({
    reason: 'cost',
    tasks: [{ taskId: 'T002', outcome: 'done' }],
  });
});

test('work.status shows the tokens of an agent while it runs, and what it has cost counts if it is ended', async () => {
  const message = JSON.stringify({ type: 'assistant', message: { id: 'm1', content: [], usage: { input_tokens: 20, output_tokens: 5 } } });
  const code = `console.log(${JSON.stringify(message)}); setInterval(() => {}, 1000)`;
  const { call } = await createProject(scripted(code, { output: 'claude-json' }), ['T002 in T001']);
  const whenEnded = call('work.run', {});
  const readUsage = async () => {
    const { processes, tasks } = (await call('work.status')).work;
    return [...processes, ...tasks].map(({ usage }) => usage.inputTokens);
  };
  await expect.poll(readUsage, { timeout: 10_000 }).toEqual([20, 20]);
  await call('work.stop', { all: true, now: true });
  expect((await whenEnded).work).toMatchObject({
    reason: 'stopped',
    tasks: [{ taskId: 'T002', outcome: 'stopped' }],
    usage: { inputTokens: 20, outputTokens: 5 },
  });
});

test('agents get their names, the session and the project folder', async () => {
  const code = `console.log(JSON.stringify(process.env)); ${committing}`;
  const { call, root } = await createProject(scripted(code), ['T002 in T001', 'T003 in T001']);
  const { session } = await call('session.start', { name: 'Plan', scope: 'epic:T001', focus: 'T003' });
  expect((await call('work.run', {})).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'done' }]);
  const [line] = (await call('work.logs', { taskId: 'T002' })).log.split('\n');
  expect(JSON.parse(line)).toMatchObject({ CLEO_AGENT_ID: 'T002-worker-1', CLEO_SESSION_ID: session.id, CLEO_ROOT: root });
});

test('the claim is renewed while work.setup runs', async () => {
  const config = { ...scripted(committing), claims: { awayMinutes: 0 } };
  const setup = [process.execPath, '-e', 'setTimeout(() => {}, 3500)'];
  const { call, store } = await createProject({ ...config, work: { ...config.work, setup } }, ['T002 in T001']);
  const whenEnded = call('work.run', {});
  const renewals = new Set<string | undefined>();
  for (let i = 0; i < 30; i += 1) {
    await sleep(100);
    renewals.add((await store.read(({ claims }) => claims.get('T002')))?.renewedAt);
  }
  renewals.delete(undefined);
  expect(renewals.size).toBeGreaterThan(1);
  expect((await whenEnded).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'done' }]);
});

test('a task whose work.setup fails is released with the end of its output as note', async () => {
  const config = scripted(committing);
  const setup = [process.execPath, '-e', 'console.error("no network"); process.exit(3)'];
  const { call } = await createProject({ ...config, work: { ...config.work, setup } }, ['T002 in T001']);
  const note = expect.stringContaining('work.setup: exited with 3: no network');
  expect((await call('work.run', {})).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'attention', note }]);
  expect((await call('tasks.show', { taskId: 'T002' })).task).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
});

test('work.status names a worktree only as long as it exists', async () => {
  const { call } = await createProject(scripted(committing), ['T002 in T001']);
  await call('work.run', {});
  const [task] = (await call('work.status')).work.tasks;
  expect(task).toMatchObject({ state: 'done', branch: 'cleo/T002-task-t002' });
  expect(task.worktree).toBeUndefined();
});

test('a task that was given up loses its label when it is done', async () => {
  const { call } = await createProject(scripted(committing), ['T002 in T001 labels needs-attention,parser']);
  expect((await call('work.run', {})).work).toMatchObject({ reason: 'nothing-ready', tasks: [] });
  expect((await call('work.run', { retry: true })).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'done' }]);
  expect((await call('tasks.show', { taskId: 'T002' })).task).toMatchObject({ status: 'done', labels: ['parser'] });
});

test('outside a git repository only --in-place works', async () => {
  const { call } = await openApp({ config: scripted(committing), tasks: ['T001 epic', 'T002 in T001'] });
  expect((await call('work.run')).error).toMatchObject({ code: 'E_DEPENDENCY_ERROR', fix: 'cleo work --in-place' });
});

test('work.claim takes one task, spawns its agent and passes on the claim', async () => {
  const { call, root } = await createProject(scripted(''), ['T002 in T001: Write the parser', 'T003 in T001 labels needs-attention']);
  const { claimed } = await call('work.claim', { epic: 'T001', process: 'a/b/c/1/2' });
  expect(claimed).toMatchObject({
    taskId: 'T002',
    agentId: 'T002-worker-1',
    worktree: 'T002-write-the-parser',
    branch: 'cleo/T002-write-the-parser',
  });
  const prompt = readFileSync(claimed.promptFile, 'utf8');
  expect(prompt).toContain(`The project is in \`${join(root, '.cleo', 'worktrees', 'T002-write-the-parser')}\``);
  expect(prompt).toContain('a git worktree on branch `cleo/T002-write-the-parser`');
  expect((await call('tasks.show', { taskId: 'T002' })).claim).toMatchObject({ agent: 'T002-worker-1' });
  expect(await call('work.claim', { epic: 'T001' })).toMatchObject({
    _meta: { exitCode: 100 },
    obstacles: [{ reason: 'it has the label needs-attention; --retry ignores it', tasks: ['T003'] }],
  });
});

test('limits hold for all agents together', async () => {
  const config = { ...scripted(''), work: { profile: 'scripted', maxParallel: 2, labels: { db: 1 } } };
  const { call, as } = await createProject(config, ['T002 in T001 labels db', 'T003 in T001 labels db', 'T004 in T001', 'T005 in T001']);
  const claim = (slot: number) => as(`work/scripted/k/${slot}`).call('work.claim', {});
  expect((await claim(1)).claimed.taskId).toBe('T002');
  expect((await claim(2)).claimed.taskId).toBe('T004');
  expect(await claim(3)).toMatchObject({ _meta: { exitCode: 100 }, limit: 'work.maxParallel is 2' });
  await as('T004-worker-1').call('tasks.stop', { taskId: 'T004' });
  await call('tasks.update', { taskId: 'T004', blockedBy: 'something' });
  expect((await claim(4)).claimed.taskId).toBe('T005');
});

test('the limit of a profile holds for all of its agents together', async () => {
  const config = scripted('', { concurrency: 1 });
  const { call, as } = await createProject(config, ['T002 in T001', 'T003 in T001']);
  const claim = (agent: string) => as(agent).call('work.claim', {});
  expect((await claim('work/other/k/1')).claimed.taskId).toBe('T002');
  expect((await claim('work/scripted/k/1')).claimed.taskId).toBe('T003');
  expect(await claim('work/scripted/another/1')).toMatchObject({ _meta: { exitCode: 100 }, limit: 'profiles.scripted.concurrency is 1' });
  expect(await call('work.claim', {})).toMatchObject({ limit: 'profiles.scripted.concurrency is 1' });
});

test('a task that somebody else took over from its agent counts for no limit', async () => {
  const config = { ...scripted(''), work: { profile: 'scripted', maxParallel: 1 } };
  const { call, as } = await createProject(config, ['T002 in T001', 'T003 in T001']);
  expect((await as('work/scripted/k/1').call('work.claim', {})).claimed.taskId).toBe('T002');
  await as('T002-worker-1').call('tasks.stop', { taskId: 'T002' });
  expect(await call('tasks.start', { taskId: 'T002' })).toMatchObject({ success: true });
  expect((await as('work/scripted/k/2').call('work.claim', {})).claimed.taskId).toBe('T003');
});

test('work.status, work.logs and work.clean show and remove what was left', async () => {
  const { call, root } = await createProject(scripted('console.log("hello"); console.error("oh")'), ['T002 in T001: Work']);
  expect(await call('work.status')).toMatchObject({ _meta: { exitCode: 100 } });
  expect((await call('work.logs', { taskId: 'T002' })).error).toMatchObject({ code: 'E_NOT_FOUND', fix: 'cleo help work' });
  await call('work.run');
  expect((await call('work.status')).work.tasks).toMatchObject([{ taskId: 'T002', state: 'attention', lastLine: 'hello' }]);
  expect((await call('work.logs', { taskId: 'T002' })).log).toBe('hello\n');
  expect((await call('work.logs', { taskId: 'T002', errors: true, follow: true })).log).toBe('oh\n');
  const folder = join(root, '.cleo', 'worktrees', 'T002-work');
  writeFileSync(join(folder, 'draft.txt'), 'draft');
  expect((await call('work.clean')).cleaned).toMatchObject({ removed: [], kept: [{ worktree: 'T002-work' }] });
  expect((await call('work.clean', { changed: true, dryRun: true })).cleaned.removed).toEqual(['T002-work']);
  expect((await call('work.clean', { changed: true })).cleaned.removed).toEqual(['T002-work']);
  expect(existsSync(folder)).toBe(false);
});

test('work.stop needs a task or --all, and changes nothing where nothing runs', async () => {
  const { call } = await createProject(scripted(''), ['T002 in T001']);
  expect((await call('work.stop')).error).toMatchObject({ code: 'E_INVALID_INPUT', fix: 'cleo work stop --all' });
  expect((await call('work.stop', { taskId: 'T002', all: true })).error).toMatchObject({ code: 'E_INVALID_INPUT' });
  expect((await call('work.stop', { taskId: 'T002' })).error).toMatchObject({ code: 'E_NOT_FOUND' });
  expect(await call('work.stop', { all: true })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('work.run takes neither paths nor options of git from the state that a clone brings', async () => {
  const { call, root } = await createProject(scripted(committing), ['T002 in T001 done', 'T003 in T001']);
  const victim = join(root, '..', 'victim');
  const folder = join(root, '.cleo', 'worktrees', '.state', 'T002');
  mkdirSync(folder, { recursive: true });
  const forge = (more: object): void =>
    writeFileSync(
      join(folder, 'item.json'),
      JSON.stringify({
        ...{ pid: 1, began: '0', boot: '0', taskId: 'T002', title: 'x', agentId: 'T002-worker-1', profile: 'scripted', runId: 'run-x' },
        ...{ workId: 'old', base: 'main', start: '', promptFile: '/etc/passwd', outputDir: '/', round: 1, state: 'working' },
        ...{ startedAt: '2026-01-01T00:00:00.000Z', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 }, lastLine: '', ...more },
      }),
    );
  writeFileSync(victim, 'mine');
  forge({ start: `--output=${victim}` });
  expect((await call('work.run', { scope: 'epic:T001' })).work.tasks).toMatchObject([{ taskId: 'T003', outcome: 'done' }]);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  // The prompt is that of the agent in this project, which does not exist.
  forge({});
  expect((await call('work.run', { scope: 'epic:T001' })).work.tasks).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, 'item.json'), 'utf8')).outputDir).toBe('/');
});
