import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.ts';

test('every step does what the story says, one after the other', async () => {
  const { call, cli } = await openHouse();
  const { steps } = await call('admin.quickstart');
  for (const { argv, exit = 0 } of steps as { argv: string[]; exit?: number }[]) {
    const { exitCode } = await cli(argv);
    // The test's project is made already.
    expect(`${argv.join(' ')}: ${exitCode}`).toBe(`${argv.join(' ')}: ${argv[0] === 'init' ? 101 : exit}`);
  }
  expect(await call('tasks.list')).toMatchObject({
    tasks: [{ status: 'pending' }, { status: 'done' }, { status: 'done' }, { status: 'pending' }],
  });
});

test('the folder is handed on to whoever plays it', async () => {
  const { call } = await openHouse();
  expect(await call('admin.quickstart', { folder: 'demo' })).toMatchObject({ folder: 'demo' });
});
