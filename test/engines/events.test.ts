import { expect, test } from 'vitest';
import { openApp } from '../app.ts';
import { readEvents } from '../event-reader.ts';
import { startServer } from '../http-server.ts';
import { getListenConfig } from '../listen-config.ts';

test('two servers on one database see the writes of each other at once', async () => {
  const app = await openApp({ engine: 'postgres', config: getListenConfig() });
  const [one, other] = [await startServer(app), await startServer(app)];
  const readers = await Promise.all([one, other].map(({ url }) => readEvents(`${url}/api/events?after=0`)));
  for (const reader of readers) expect(await reader.find(({ event }) => event === 'hello')).toMatchObject({ data: { store: 'postgres' } });
  // The first notification can be late: the connection that listens is being opened.
  await one.post('mutate/tasks/add', { title: 'Warm-up' });
  for (const reader of readers) await reader.find(({ data }) => data.created?.includes('T001'));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const delays: number[] = [];
  for (let i = 2; i < 12; i++) {
    const id = `T${String(i).padStart(3, '0')}`;
    await (i % 2 ? one : other).post('mutate/tasks/add', { title: id });
    const writtenAt = performance.now();
    for (const reader of readers) await reader.find(({ data }) => data.created?.includes(id));
    delays.push(performance.now() - writtenAt);
  }
  // The poll alone would take half a second on average.
  expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(250);
  const ids = readers.map((reader) => reader.events.flatMap(({ id }) => id ?? []));
  expect(ids[0]).toEqual(ids[0]!.map((_, i) => ids[0]![0]! + i));
  expect(ids[1]).toEqual(ids[0]);
  for (const reader of readers) reader.close();
});
