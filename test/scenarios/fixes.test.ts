import { describe, expect, test } from 'vitest';
import { openApp } from '../app.ts';

const plan = ['T001 epic', 'T002 in T001', 'T003', 'T004 saga'];

describe('the fix of session start starts a session', () => {
  test.each([
    ['a missing scope', 'cleo session start', 'global'],
    ['an unknown scope', 'cleo session start --scope banana', 'global'],
    ['the id of an epic', 'cleo session start --scope T001', 'epic:T001'],
    ['the id of a saga', 'cleo session start --scope t4 --name Work', 'saga:T004'],
    ['the id of a subtask or task', 'cleo session start --scope 3', 'task:T003'],
    ['a kind that does not exist', 'cleo session start --scope epik:T001', 'epic:T001'],
    ['a kind of another type', 'cleo session start --scope saga:T001', 'epic:T001'],
    ['no task', 'cleo session start --scope epic:T001', 'epic:T001'],
    ['a focus outside the scope', 'cleo session start --scope epic:T001 --focus T003', 'task:T003'],
    ['a focus outside a saga', 'cleo session start --scope saga:T004 --focus T002', 'epic:T001'],
  ])('with %s', async (_, command, scope) => {
    const { cli } = await openApp({ tasks: plan });
    const { error } = (await cli(command)).envelope;
    expect(await cli(error.fix)).toMatchObject({ exitCode: 0, envelope: { session: { scope } } });
  });

  test('with autoStart: false', async () => {
    const { call, cli } = await openApp({ tasks: plan });
    const { error } = await call('session.start', { scope: 'epic:T001', autoStart: false });
    expect(error.fix).toBe('cleo session start --scope epic:T001 --auto-focus');
    expect((await cli(error.fix)).exitCode).toBe(0);
  });
});

describe('the fix of an id that is not one', () => {
  test.each([[['T002;T003']], [['T002', 'T003;T004']]])('splits a list that is %j', async (depends) => {
    const { call, cli } = await openApp({ tasks: plan });
    const { error } = await call('tasks.add', { title: 'After both', depends });
    const ids = depends.join(',').split(/[,;]/);
    expect(error.fix).toBe(`cleo add 'After both' --depends ${ids.join(',')}`);
    expect((await cli(error.fix)).exitCode).toBe(0);
  });

  test.each([
    ['T1.5', 2, 'cleo help show'],
    ['TInfinity', 2, 'cleo help show'],
    ['TT1', 2, 'cleo show T001'],
  ])('does not search for a part of %s', async (taskId, exitCode, fix) => {
    const { call, cli } = await openApp({ tasks: plan });
    const { error } = await call('tasks.show', { taskId });
    expect(error).toMatchObject({ exitCode, fix });
    expect((await cli(error.fix)).exitCode).toBe(0);
  });
});
