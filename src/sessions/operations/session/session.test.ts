import { describe, expect, test } from 'vitest';
import { asPerson, openApp } from '../../../../test/app.ts';

const world = ['T001 epic: Parser', 'T002 in T001 high: Lexer', 'T003 in T001: Trees', 'T009 epic: Other', 'T010 in T009: Else'];
const one = [...world, 'session session-1 epic:T001 by tester: Parse'];
const adas = [...world, 'session session-1 epic:T001 by ada: Parse'];

describe('the session of a call', () => {
  test('is the active session of the agent, else none: that of another agent is not joined', async () => {
    const { as } = await openApp({ tasks: [...world, 'session s-a epic:T001 by ada', 'session s-b epic:T009 by bob'] });
    const getId = async (agent: string) => (await as(agent).call('session.status')).session.id;
    expect([await getId('ada'), await getId('bob'), await getId('eve')]).toEqual(['s-a', 's-b', undefined]);
    expect(await as('eve').call('session.status')).toMatchObject({
      _meta: { exitCode: 100, warnings: [expect.stringContaining('s-a, s-b')] },
      session: {},
    });
    await as('bob').call('session.end');
    expect(await getId('eve')).toBeUndefined();
  });

  test('must exist if the call names it (31), and be active for a write (36)', async () => {
    const { call, cli } = await openApp({ tasks: [...world, 'session s-old epic:T001 ended by ada'] });
    expect((await call('tasks.show', { taskId: 'T002' }, { session: 's-none' })).error).toMatchObject({ exitCode: 31 });
    expect((await call('tasks.add', { title: 'x' }, { session: 's-none' })).error).toMatchObject({
      exitCode: 31,
      fix: 'cleo session list',
    });
    expect(await call('tasks.show', { taskId: 'T002' }, { session: 's-old' })).toMatchObject({ success: true });
    const { error } = await call('tasks.add', { title: 'x' }, { session: 's-old' });
    expect(error).toMatchObject({ code: 'E_SESSION_REQUIRED', exitCode: 36, fix: 'cleo session resume s-old' });
    expect((await cli(error.fix)).exitCode).toBe(0);
    expect(await call('tasks.add', { title: 'x', parent: 'T001' }, { session: 's-old' })).toMatchObject({ success: true });
  });

  test('an unknown id from the environment only labels audit entries', async () => {
    const app = await openApp({ tasks: world, env: { CLEO_SESSION_ID: 'from-outside' } });
    expect(await app.call('tasks.add', { title: 'x' })).toMatchObject({ success: true, _meta: { sessionId: 'from-outside' } });
    const [entry] = await app.store.read((reads) => reads.audit.listAfter(0, 10));
    expect(entry?.session).toBe('from-outside');
  });

  test('is required for a write where the project says so (36), and the fix works', async () => {
    const { call, cli } = await openApp({ tasks: world, config: { session: { required: true } } });
    const { error } = await call('tasks.add', { title: 'x' });
    expect(error).toMatchObject({ code: 'E_SESSION_REQUIRED', exitCode: 36 });
    expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ success: true });
    expect((await cli(error.fix)).exitCode).toBe(0);
    expect(await call('tasks.add', { title: 'x' })).toMatchObject({ success: true });
  });

  test('is ambiguous among several: a write that needs one fails with 36 and their ids', async () => {
    const { as } = await openApp({
      tasks: [...world, 'session s-a epic:T001 by ada', 'session s-b epic:T009 by bob'],
      config: { session: { required: true } },
    });
    expect((await as('eve').call('tasks.add', { title: 'x' })).error).toMatchObject({
      exitCode: 36,
      details: { activeSessions: ['s-a', 's-b'] },
    });
    expect((await as('eve').call('session.end')).error).toMatchObject({ exitCode: 36, details: { activeSessions: ['s-a', 's-b'] } });
    expect(await as('eve').call('tasks.add', { title: 'x' }, { session: 's-a' })).toMatchObject({ success: true });
  });

  test('a task claimed outside a session stays claimed when a session starts', async () => {
    const { call, as } = await openApp({ tasks: world });
    await call('tasks.start', { taskId: 'T002' });
    await as('ada').call('session.start', { scope: 'epic:T001', autoFocus: true });
    expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
    expect(await call('tasks.complete', {})).toMatchObject({ success: true, task: { id: 'T002' } });
  });
});

describe('the scope', () => {
  test.each([
    ['tasks.start', { taskId: 'T010' }],
    ['tasks.complete', { taskId: 'T010' }],
    ['tasks.update', { taskId: 'T010', priority: 'high' }],
    ['tasks.update', { taskId: 'T003', parent: 'T009' }],
    ['tasks.delete', { taskId: 'T010' }],
    ['tasks.criteria.check', { taskId: 'T011', n: 1 }],
    ['tasks.reopen', { taskId: 'T012' }],
    ['tasks.add', { title: 'x', parent: 'T009' }],
    ['tasks.add', { title: 'x', type: 'epic' }],
    ['tasks.add-batch', { tasks: [{ title: 'x', parent: 'T009' }] }],
  ])('refuses %s %j outside it with 34', async (operation, params) => {
    const { call } = await openApp({ tasks: [...one, 'T011 in T009 accept a: Criteria', 'T012 in T009 done: Done'] });
    expect((await call(operation, params)).error).toMatchObject({
      code: 'E_TASK_NOT_IN_SCOPE',
      exitCode: 34,
      details: { scope: 'epic:T001' },
    });
  });

  test('names the epic of the task, and the alternatives work', async () => {
    const { call, cli } = await openApp({ tasks: one });
    const { error } = await call('tasks.start', { taskId: 'T010' });
    expect(error).toMatchObject({ details: { taskId: 'T010', epicId: 'T009', scope: 'epic:T001' } });
    for (const { command } of error.alternatives) expect((await cli(command)).exitCode, command).toBe(0);
    expect(await call('tasks.start', { taskId: 'T010' })).toMatchObject({ _meta: { exitCode: 102 }, task: { status: 'active' } });
  });

  test('places a new task without a parent below its root', async () => {
    const { call } = await openApp({ tasks: one });
    expect(await call('tasks.add', { title: 'x' })).toMatchObject({ task: { parentId: 'T001', type: 'task' } });
    expect(
      await call('tasks.add-batch', {
        tasks: [
          { title: 'a', ref: 'a' },
          { title: 'b', parent: 'a' },
        ],
      }),
    ).toMatchObject({
      tasks: [{ parentId: 'T001', type: 'task' }, { type: 'subtask' }],
    });
  });

  test('of a saga takes a new epic, and a new task only with a parent', async () => {
    const { call } = await openApp({ tasks: ['T001 saga', 'T002 in T001', 'session s saga:T001 by tester'] });
    expect((await call('tasks.add', { title: 'x' })).error).toMatchObject({ exitCode: 34 });
    expect(await call('tasks.add', { title: 'x', type: 'epic' })).toMatchObject({ task: { type: 'epic', parentId: 'T001' } });
    expect(await call('tasks.add', { title: 'x', parent: 'T002' })).toMatchObject({ task: { type: 'task' } });
  });

  test('limits next and ready, unless another epic is given', async () => {
    const { call } = await openApp({ tasks: [...one, 'T013 critical: Urgent'] });
    expect((await call('tasks.next')).recommendation.taskId).toBe('T002');
    expect((await call('tasks.next', { epic: 'T009' })).recommendation.taskId).toBe('T010');
    expect((await call('orchestrate.ready')).tasks.map(({ id }: { id: string }) => id)).toEqual(['T002', 'T003']);
    expect((await call('tasks.claim-next', {})).task.id).toBe('T002');
  });

  test('global allows everything, and the phase raises the score of its tasks', async () => {
    const { call } = await openApp({ tasks: [...world, 'T020 low phase polish: Shine', 'T021 low: Plain'] });
    await call('session.start', { scope: 'global', phase: 'polish', autoFocus: true });
    const { recommendation, alternatives } = await call('tasks.next', { count: 10 });
    const all = [recommendation, ...alternatives];
    expect(all.find((r) => r.taskId === 'T020').reasons).toContainEqual({ term: 'phase polish', points: 20 });
    expect(await call('tasks.add', { title: 'x', parent: 'T009' })).toMatchObject({ success: true });
  });
});

describe('resume', () => {
  test('attaches the caller to an active session; a second call is 102', async () => {
    const { call } = await openApp({ tasks: adas });
    expect(await call('session.resume', { sessionId: 'session-1' })).toMatchObject({ session: { status: 'active' }, success: true });
    expect(await call('session.resume', { sessionId: 'session-1' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect((await call('session.show', { sessionId: 'session-1' })).session.agents).toEqual(['ada', 'tester']);
  });

  test.each(['suspended', 'ended'])('makes a session that is %s active again, with the checks of a start', async (status) => {
    const { call, as } = await openApp({ tasks: [...world, `session session-1 epic:T001 ${status} by ada`] });
    expect(await call('session.resume', { sessionId: 'session-1' })).toMatchObject({ session: { status: 'active' } });
    await call('session.suspend');
    const { session } = await as('bob').call('session.start', { scope: 'epic:T001', autoFocus: true });
    expect((await call('session.resume', { sessionId: 'session-1' })).error).toMatchObject({ exitCode: 30 });
    await as('bob').call('session.end', {}, { session: session.id });
    await as('bob').call('session.start', { scope: 'task:T002', autoFocus: true });
    expect((await call('session.resume', { sessionId: 'session-1' })).error).toMatchObject({ exitCode: 32 });
  });

  test('fails with 66 if the root of the scope was deleted, and the fix starts a new session', async () => {
    const { call, cli } = await openApp({ tasks: ['T001', 'T002', 'session session-1 task:T001 suspended by ada'] });
    await call('tasks.delete', { taskId: 'T001' });
    const { error } = await call('session.resume', { sessionId: 'session-1' });
    expect(error).toMatchObject({ code: 'E_RESUME_FAILED', exitCode: 66 });
    expect((await cli(error.fix)).exitCode).toBe(0);
  });

  test('fails with 31 on an unknown id and suggests the nearest', async () => {
    const { call, cli } = await openApp({ tasks: one });
    const { error } = await call('session.resume', { sessionId: 'session-2' });
    expect(error).toMatchObject({ code: 'E_SESSION_NOT_FOUND', exitCode: 31, details: { suggestions: ['session-1'] } });
    expect((await cli(error.fix)).exitCode).toBe(0);
  });
});

describe('session end', () => {
  test('releases every claim of the session and writes the handoff', async () => {
    const { call, as } = await openApp({ tasks: [...world, 'T004 in T001 blocked: Stuck'] });
    const { session } = await call('session.start', { scope: 'epic:T001', focus: 'T002' });
    await call('tasks.update', { taskId: 'T002', notes: 'Decision: tokens are structs' });
    await call('memory.store', { type: 'decision', content: 'The lexer is written by hand', task: 'T002' });
    await call('tasks.complete', {});
    await call('tasks.start', { taskId: 'T003' });
    const ended = await call('session.end', { note: 'Trees are half way' });
    const handoff = {
      note: 'Trees are half way',
      done: [{ id: 'T002', title: 'Lexer' }],
      open: [{ id: 'T003', title: 'Trees' }],
      blocked: [{ id: 'T004', title: 'Stuck', blockedBy: 'waiting' }],
      decisions: [
        { id: 'D-001', title: 'The lexer is written by hand' },
        { taskId: 'T002', text: 'tokens are structs' },
      ],
      next: [{ id: 'T003', title: 'Trees' }],
    };
    expect(ended).toMatchObject({ session: { id: session.id, status: 'ended' }, released: ['T003'], handoff });
    expect(await call('tasks.show', { taskId: 'T003' })).toMatchObject({ task: { status: 'pending' } });
    expect((await call('session.show', { sessionId: session.id })).session).toMatchObject({ handoff, note: 'Trees are half way' });
    const { briefing } = await as('bob').call('session.briefing');
    expect(briefing).toMatchObject({ handoff: { sessionId: session.id, note: 'Trees are half way', done: handoff.done } });
  });

  test('is 102 the second time, and 36 without a session', async () => {
    const { call } = await openApp({ tasks: one, env: { CLEO_SESSION_ID: 'session-1' } });
    expect(await call('session.end')).toMatchObject({ session: { status: 'ended' } });
    expect(await call('session.end')).toMatchObject({ _meta: { exitCode: 102 } });
    const other = await openApp({ tasks: world });
    expect((await other.call('session.end')).error).toMatchObject({ exitCode: 36 });
  });

  test('needs a note where the project requires one: 39', async () => {
    const { call, cli } = await openApp({ tasks: one, config: { session: { requireNote: true } } });
    const { error } = await call('session.end');
    expect(error).toMatchObject({ code: 'E_NOTES_REQUIRED', exitCode: 39 });
    expect((await cli(error.fix)).exitCode).toBe(0);
  });

  test('is blocked by active tasks where the project says so: 37', async () => {
    const { call, as, cli } = await openApp({ tasks: one, config: { session: { closeRequiresDone: true } } });
    await as('ada').call('tasks.start', { taskId: 'T002' }, { session: 'session-1' });
    const { error } = await call('session.end');
    expect(error).toMatchObject({ code: 'E_SESSION_CLOSE_BLOCKED', exitCode: 37, details: { active: [{ taskId: 'T002', agent: 'ada' }] } });
    expect((await cli(error.fix)).exitCode).toBe(0);
    expect(await call('session.end')).toMatchObject({ success: true });
  });

  test('needs a note or safestop when the context is critical: 65', async () => {
    const { call, cli } = await openApp({ tasks: one });
    await call('system.context.report', { used: 91, max: 100 });
    const { error } = await call('session.end');
    expect(error).toMatchObject({ code: 'E_HANDOFF_REQUIRED', exitCode: 65, fix: 'cleo safestop' });
    expect((await cli(error.fix)).envelope).toMatchObject({ session: { status: 'ended' }, handoff: { note: 'Stopped safely' } });
    expect((await cli(error.fix)).exitCode).toBe(102);
  });

  test('takes the session away from the environment: later writes belong to no session', async () => {
    const { call } = await openApp({ tasks: one, env: { CLEO_SESSION_ID: 'session-1' } });
    await call('session.end');
    expect(await call('tasks.add', { title: 'x', parent: 'T009' })).toMatchObject({ success: true });
    expect(await call('tasks.start', { taskId: 'T010' })).toMatchObject({ success: true });
    const focus = await call('tasks.current');
    expect(focus.claim.session).toBeUndefined();
  });
});

describe('safestop', () => {
  test('notes the focus, releases it and ends the session; a second call changes nothing', async () => {
    const { call } = await openApp({ tasks: one });
    await call('tasks.start', { taskId: 'T002' });
    expect(await call('session.safestop', { reason: 'Full; the lexer reads numbers' })).toMatchObject({
      session: { status: 'ended' },
      task: { id: 'T002', status: 'pending' },
      handoff: { note: 'Full; the lexer reads numbers' },
    });
    expect((await call('tasks.show', { taskId: 'T002' })).task.notes).toMatchObject([{ text: 'Full; the lexer reads numbers' }]);
    expect(await call('session.safestop')).toMatchObject({ _meta: { exitCode: 102 } });
  });

  test('does not stop the session of another agent when called twice', async () => {
    const app = await openApp({ tasks: [...world, 'session session-1 epic:T001 by tester', 'session session-2 global by bob'] });
    expect(await app.call('session.safestop')).toMatchObject({ session: { id: 'session-1', status: 'ended' } });
    expect(await app.call('session.safestop')).toMatchObject({ _meta: { exitCode: 102 } });
    for (const operation of ['session.end', 'session.suspend'])
      expect((await app.call(operation)).error).toMatchObject({
        exitCode: 36,
        message: expect.stringContaining('session-2 belongs to another agent'),
        fix: 'cleo session list --status active',
      });
    await app.as('eve').call('session.start', { scope: 'epic:T001', autoFocus: true });
    expect(await app.call('session.safestop')).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await app.call('session.list', { status: 'active' })).toMatchObject({ sessions: [{ agent: 'eve' }, { agent: 'bob' }] });
    for (const [operation, params] of [
      ['session.end', {}],
      ['session.safestop', {}],
      ['session.safestop', { keep: true }],
    ] as const)
      expect(await app.call(operation, params, { session: 'session-2' })).toMatchObject({
        error: { code: 'E_FORBIDDEN', exitCode: 64, fix: 'Ask a person to run: cleo session end --session session-2' },
      });
    expect(await app.call('session.show', { sessionId: 'session-2' })).toMatchObject({ session: { status: 'active' } });
    expect(await app.call('session.end', {}, { ...asPerson, session: 'session-2' })).toMatchObject({ session: { status: 'ended' } });
  });

  test('of an agent without a session leaves the session of another agent alone', async () => {
    const app = await openApp({ tasks: one });
    expect(await app.as('bob').call('session.safestop')).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await app.call('session.status')).toMatchObject({ session: { id: 'session-1', status: 'active' } });
  });

  test('with --keep keeps the claim and suspends the session', async () => {
    const { call, as } = await openApp({ tasks: one });
    await call('tasks.start', { taskId: 'T002' });
    expect(await call('session.safestop', { keep: true })).toMatchObject({ session: { status: 'suspended' }, task: { status: 'active' } });
    expect((await as('bob').call('tasks.start', { taskId: 'T002' })).error).toMatchObject({ exitCode: 35 });
    expect(await call('session.resume', { sessionId: 'session-1' })).toMatchObject({ focus: { id: 'T002' } });
  });

  test('with --keep twice adds one note', async () => {
    const { call } = await openApp({ tasks: one });
    await call('tasks.start', { taskId: 'T002' });
    await call('session.safestop', { keep: true, reason: 'Full' });
    const again = await call('session.safestop', { keep: true, reason: 'Full' }, { session: 'session-1' });
    expect(again).toMatchObject({ session: { status: 'suspended' }, _meta: { exitCode: 102 } });
    expect(await call('session.safestop', { keep: true, reason: 'Full' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect((await call('tasks.show', { taskId: 'T002' })).task.notes).toHaveLength(1);
  });

  test('ends a session that was suspended with --keep, with its note', async () => {
    const { call } = await openApp({ tasks: one });
    await call('tasks.start', { taskId: 'T002' });
    await call('system.context.report', { used: 195, max: 200 });
    await call('session.safestop', { keep: true, reason: 'Full' });
    const suspended = { session: 'session-1' };
    expect(await call('session.end', {}, suspended)).toMatchObject({
      error: { exitCode: 65, fix: expect.stringContaining('cleo safestop') },
    });
    expect(await call('session.safestop', {}, suspended)).toMatchObject({ session: { status: 'ended' }, handoff: { note: 'Full' } });
    expect(await call('session.end', {}, suspended)).toMatchObject({ _meta: { exitCode: 102 } });
    expect((await call('tasks.show', { taskId: 'T002' })).task).toMatchObject({ status: 'pending', notes: [{ text: 'Full' }] });
  });

  test('with --keep twice adds one note outside a session too', async () => {
    const { call } = await openApp({ tasks: world });
    await call('tasks.start', { taskId: 'T002' });
    expect(await call('session.safestop', { keep: true, reason: 'Full' })).toMatchObject({ task: { id: 'T002', status: 'active' } });
    const again = await call('session.safestop', { keep: true, reason: 'Full' });
    expect(again).toMatchObject({ task: { id: 'T002' }, _meta: { exitCode: 102 } });
    expect((await call('tasks.show', { taskId: 'T002' })).task.notes).toHaveLength(1);
    expect(await call('session.safestop', { reason: 'Full' })).toMatchObject({ task: { status: 'pending' } });
  });

  test('adds its note even if another agent left a note with the same text', async () => {
    const { call, as } = await openApp({ tasks: world });
    await as('bob').call('tasks.update', { taskId: 'T002', notes: 'Full' });
    await call('tasks.start', { taskId: 'T002' });
    await call('session.safestop', { reason: 'Full' });
    expect((await call('tasks.show', { taskId: 'T002' })).task.notes).toMatchObject([{ by: 'bob' }, { by: 'tester' }]);
  });

  test('outside a session releases the focus', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('session.safestop')).toMatchObject({ _meta: { exitCode: 102 } });
    await call('tasks.start', { taskId: 'T002' });
    expect(await call('session.safestop')).toMatchObject({ task: { id: 'T002', status: 'pending' } });
  });
});

describe('session gc', () => {
  test('ends sessions without recent activity, writes their handoff and keeps the others', async () => {
    const { call } = await openApp({ tasks: [...one, 'session session-2 epic:T009 by bob'] });
    await call('tasks.start', { taskId: 'T002' }, { session: 'session-1' });
    expect(await call('session.gc', { dryRun: true })).toMatchObject({ sessions: [{ id: 'session-2' }] });
    expect(await call('session.gc')).toMatchObject({ sessions: [{ id: 'session-2', status: 'ended' }] });
    expect(await call('session.gc')).toMatchObject({ _meta: { exitCode: 102 } });
    expect((await call('session.show', { sessionId: 'session-2' })).session.note).toBe('No activity for 72 hours');
  });

  test('keeps the note of a session that was ended with one and resumed', async () => {
    const clock = { now: '2026-01-02T00:00:00.000Z' };
    const { call, as } = await openApp({ tasks: adas, clock });
    await as('ada').call('session.end', { note: 'Trees are next' });
    await as('ada').call('session.resume', { sessionId: 'session-1' });
    clock.now = '2026-01-06T00:00:00.000Z';
    expect(await call('session.gc')).toMatchObject({ sessions: [{ id: 'session-1', status: 'ended' }] });
    expect((await call('session.show', { sessionId: 'session-1' })).session.note).toBe('Trees are next');
  });

  test('releases the claims of the sessions it ends', async () => {
    const clock = { now: '2026-01-02T00:00:00.000Z' };
    const { call, as } = await openApp({ tasks: adas, clock });
    await as('ada').call('tasks.start', { taskId: 'T002' });
    clock.now = '2026-01-06T00:00:00.000Z';
    expect(await call('session.gc')).toMatchObject({ sessions: [{ id: 'session-1', status: 'ended' }] });
    expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ task: { status: 'pending' } });
    expect((await call('session.show', { sessionId: 'session-1' })).session).not.toHaveProperty('claims');
  });
});

test('session briefing stays within its budget and lists what it left out', async () => {
  const many = Array.from(
    { length: 60 },
    (_, i) => `T${String(i + 100)} in T001 blocked: A rather long title about something in the way ${i}`,
  );
  const { reply } = await openApp({ tasks: [...one, ...many] });
  const { estimateTokens } = await import('#lib/tokens.ts');
  for (const budget of [500, 800, 1500, 5000]) {
    const { envelope } = await reply('session.briefing', { budget });
    expect(estimateTokens(JSON.stringify(envelope)), `${budget}`).toBeLessThanOrEqual(budget);
    const { briefing, omitted = [] } = envelope as unknown as {
      briefing: { blocked?: unknown[] };
      omitted?: { section: string; count: number }[];
    };
    expect((briefing.blocked ?? []).length + (omitted.find((o) => o.section === 'blocked')?.count ?? 0)).toBe(60);
  }
});
