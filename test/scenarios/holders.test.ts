import { expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { openClients } from '../client-surfaces.ts';

const first = { client: 'claude', pid: 100 };
const restarted = { client: 'claude', pid: 101 };
const other = { client: 'codex', pid: 200 };
const asClaude = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'a' };
const asCodex = { CODEX_THREAD_ID: 'b' };

/** A project in which Claude Code holds T001 and Codex wants it. `kill` ends the process of Claude Code. */
async function openHolders() {
  const { app, surface, gone } = await openClients(['T001', 'T002', 'T003']);
  const [claude, codex] = [surface(asClaude, first), surface(asCodex, other)];
  await claude('tasks.start', { taskId: 'T001' });
  const setLastSeen = (minutes: number): Promise<void> =>
    app.tamper(`update claims set renewed_at = '${new Date(Date.now() - minutes * 60_000).toISOString()}'`);
  return { app, surface, gone, claude, codex, kill: () => gone.add('here/100/42'), setLastSeen };
}

test('a client that restarts continues with its task, without an error', async () => {
  const { app, surface, codex, kill, setLastSeen } = await openHolders();
  kill();
  await setLastSeen(60);
  const claude = surface(asClaude, restarted);
  expect((await claude('tasks.current')).envelope).toMatchObject({ task: { id: 'T001' } });
  expect((await claude('tasks.update', { taskId: 'T001', notes: 'Back again' })).exitCode).toBe(0);
  expect(await app.store.read(({ claims }) => claims.get('T001'))).toMatchObject({ process: 'here/101/42' });
  expect((await codex('tasks.start', { taskId: 'T001' })).envelope).toMatchObject({ error: { details: { state: 'present' } } });
  expect(await claude('tasks.complete')).toMatchObject({ exitCode: 0, envelope: { task: { id: 'T001' } } });
});

test('the task of a client that is gone may be taken over at once with a reason', async () => {
  const { claude, codex, kill } = await openHolders();
  expect((await codex('tasks.start', { taskId: 'T001', takeOver: true, reason: 'It hangs' })).exitCode).toBe(35);
  kill();
  const { error } = (await codex('tasks.start', { taskId: 'T001' })).envelope as Json;
  expect(error).toMatchObject({ exitCode: 35, details: { holder: 'claude-a', state: 'away' } });
  expect(error.alternatives.at(-1)).toMatchObject({ action: 'Take T001 over from claude-a' });
  expect((await codex('tasks.start', { taskId: 'T001', takeOver: true, reason: 'It hangs' })).envelope).toMatchObject({
    takenOverFrom: 'claude-a',
  });
  expect((await claude('tasks.complete', { taskId: 'T001' })).envelope).toMatchObject({
    error: { exitCode: 35, details: { holder: 'codex-b', takenOver: { reason: 'It hangs' } } },
  });
});

test('the task of a client that is gone is handed out again after five minutes', async () => {
  const { codex, kill, setLastSeen } = await openHolders();
  kill();
  const listNext = async (): Promise<string[]> => {
    const { recommendation, alternatives } = (await codex('tasks.next')).envelope as Json;
    return [recommendation, ...alternatives].map(({ taskId }) => taskId);
  };
  await setLastSeen(4);
  expect(await listNext()).toEqual(['T002', 'T003']);
  await setLastSeen(6);
  expect(await listNext()).toEqual(['T001', 'T002', 'T003']);
  expect((await codex('admin.dash')).envelope).toMatchObject({
    summary: { ready: 3, active: [{ id: 'T001', holder: 'claude-a', state: 'away' }] },
  });
  expect((await codex('orchestrate.ready')).envelope).toMatchObject({ tasks: [{ id: 'T001', takenOverFrom: 'claude-a' }, {}, {}] });
  expect((await codex('tasks.show', { taskId: 'T001' })).envelope).toMatchObject({ claim: { agent: 'claude-a', state: 'away' } });
  expect((await codex('tasks.claim-next')).envelope).toMatchObject({
    task: { id: 'T001' },
    takenOverFrom: 'claude-a',
    _meta: { warnings: ['taken over from claude-a: claude-a was away'] },
  });
});

test('an agent named outright is never away', async () => {
  const { app, codex, setLastSeen } = await openHolders();
  await app.as('worker').call('tasks.start', { taskId: 'T002' });
  await app.tamper("update claims set away_at = renewed_at where task_id = 'T002'");
  await setLastSeen(20);
  expect((await codex('tasks.start', { taskId: 'T002' })).envelope).toMatchObject({ error: { details: { state: 'present' } } });
});

test('the agent that resumes a session gets the tasks of its agents that are away', async () => {
  const { app, surface, gone } = await openClients(['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 in T001']);
  const claude = surface(asClaude, first);
  const { session } = (await claude('session.start', { scope: 'epic:T001', focus: 'T002' })).envelope as Json;
  await claude('tasks.start', { taskId: 'T003', also: true });
  await app.call('tasks.start', { taskId: 'T004' }, { session: session.id });
  const codex = surface(asCodex, other);
  expect((await codex('session.resume', { sessionId: session.id })).envelope).not.toHaveProperty('takenOver');
  gone.add('here/100/42');
  expect((await codex('session.resume', { sessionId: session.id })).envelope).toMatchObject({
    takenOver: ['T002', 'T003'],
    focus: { id: 'T003' },
    data: { updated: ['T002', 'T003'] },
    _meta: { warnings: [expect.stringContaining('T002 is taken over from claude-a'), expect.anything()] },
  });
  expect((await codex('tasks.current')).envelope).toMatchObject({ task: { id: 'T003' }, alsoHeld: ['T002'] });
  expect((await codex('session.resume', { sessionId: session.id })).exitCode).toBe(102);
  expect((await claude('tasks.complete', { taskId: 'T002' })).exitCode).toBe(35);
});

test('the agent that resumes a session keeps its own focus', async () => {
  const { surface, gone } = await openClients(['T001 epic', 'T002 in T001', 'T003 in T001']);
  const [claude, codex] = [surface(asClaude, first), surface(asCodex, other)];
  const { session } = (await claude('session.start', { scope: 'epic:T001', focus: 'T002' })).envelope as Json;
  await codex('session.resume', { sessionId: session.id });
  await codex('tasks.start', { taskId: 'T003' });
  gone.add('here/100/42');
  expect((await codex('session.resume', { sessionId: session.id })).envelope).toMatchObject({ takenOver: ['T002'], focus: { id: 'T003' } });
});
