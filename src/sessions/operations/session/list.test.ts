import { describe, expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

const world = ['T001 epic: Parser', 'T002 in T001 high: Lexer', 'T003 in T001: Trees', 'T009 epic: Other', 'T010 in T009: Else'];

describe('session list', () => {
  test('shows active sessions first, then suspended ones, then ended ones, newest first', async () => {
    const { call } = await openApp({
      tasks: [...world, 'session a global ended', 'session b epic:T001 suspended', 'session c epic:T009 by ada', 'session d global ended'],
    });
    const ids = async (params: object) => (await call('session.list', { ...params })).sessions.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual(['c', 'b', 'd', 'a']);
    expect(await ids({ status: 'ended' })).toEqual(['d', 'a']);
    expect(await call('session.list', { limit: 1 })).toMatchObject({ _meta: { truncated: { shown: 1, total: 4 } } });
  });

  test('finds sessions by words of name, agent, scope and id, also with typos', async () => {
    const { call } = await openApp({
      tasks: [
        ...world,
        'session a global ended: Survey of shells',
        'session b epic:T001 suspended by grace: Lexer',
        'session c epic:T009 by ada: Survey',
      ],
    });
    const ids = async (params: object) => (await call('session.list', { ...params })).sessions.map(({ id }: { id: string }) => id);
    expect(await ids({ term: 'surv' })).toEqual(['c', 'a']);
    expect(await ids({ term: 'survey', status: 'ended' })).toEqual(['a']);
    expect(await ids({ term: 'grace' })).toEqual(['b']);
    expect(await ids({ term: 'T009' })).toEqual(['c']);
    expect(await ids({ term: 'lexre' })).toEqual(['b']);
    expect(await ids({ term: 'parser' })).toEqual([]);
    expect(await call('session.list', { term: 'survey', limit: 1, offset: 1 })).toMatchObject({
      sessions: [{ id: 'a' }],
      _meta: { truncated: { shown: 1, total: 2 } },
    });
  });
});
