import { expect, onTestFinished, test } from 'vitest';
import { buildHouse } from '#main.ts';
import { platformOf } from '#platform/platform.ts';
import { openHouse, type TestHouse } from '../../test/house.ts';
import { dispatch, type House } from './dispatch.ts';
import { pulseOf } from './pulse.ts';

/** The same project with the same surroundings, seen by somebody who only watches. */
function onlooker({ env, root }: TestHouse): House {
  const house = buildHouse(platformOf(env, root, '0.0.0-test'), { serves: true, looksOn: true });
  onTestFinished(() => house.closeStores());
  return house;
}

const look = (house: House, operation: string, params: object = {}) => dispatch(house, { operation, params, gateway: 'cli' });

const stateOf = (house: TestHouse) =>
  house.store.read(async ({ audit, claims, sessions }) => ({
    log: await audit.after(0, 1000),
    claims: await claims.all(),
    agents: await sessions.agents('session-1'),
  }));

test.each([
  ['its session is graded', {}],
  ['its surroundings are', { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' }],
  ['they name its session', { CLEO_SESSION_ID: 'session-1' }],
] as Array<[string, Record<string, string>]>)('who looks on leaves nothing in the log where %s', async (_, env) => {
  const house = await openHouse({
    env,
    tasks: ['T001', 'T002 active by tester@session-1', 'session session-1 task:T001 graded by tester'],
  });
  await house.call('tasks.find', { query: 'T001' });
  const before = await stateOf(house);
  expect(before.log).toHaveLength(1);
  const watching = onlooker(house);
  expect((await look(watching, 'tasks.board')).envelope).toMatchObject({ success: true, columns: expect.any(Array) });
  expect((await look(watching, 'tasks.list')).envelope._meta).not.toHaveProperty('sessionId');
  expect((await look(watching, 'tasks.show', { taskId: 'T900' })).envelope).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect((await look(watching, 'admin.log')).exitCode).toBe(0);
  expect(await stateOf(house)).toEqual(before);
});

test('a session that is not there is no reason not to look', async () => {
  const house = await openHouse({ env: { CLEO_SESSION_ID: 'session-9' } });
  expect((await look(onlooker(house), 'tasks.board')).exitCode).toBe(100);
});

test('who looks on cannot write', async () => {
  const house = await openHouse();
  await expect(look(onlooker(house), 'tasks.add', { title: 'Sneaked in' })).rejects.toThrow('does not write');
  expect((await stateOf(house)).log).toEqual([]);
});

test('the pulse moves with every write, and only then', async () => {
  const house = await openHouse();
  const watching = onlooker(house);
  const first = await pulseOf(watching);
  await house.call('tasks.list');
  expect(await pulseOf(watching)).toEqual(first);
  await house.call('tasks.add', { title: 'First' });
  const second = await pulseOf(watching);
  expect(second.seq).toBe(first.seq + 1);
  expect(second.hash).not.toBe(first.hash);
});
