import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, openApp } from '../app.ts';
import { command, fillInSessions, sessionWrite, startOperations, taskTree } from '../commands.ts';

const runs = process.env.CLEO_FAULTS === 'full' ? 200 : 15;

test('SQLite and PostgreSQL return the same answers', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom([], taskTree),
      fc.array(fc.oneof({ arbitrary: command, weight: 2 }, sessionWrite), { minLength: 40, maxLength: 40 }),
      async (tasks, commands) => {
        const clock = { now: '2026-01-01T00:00:00.000Z' };
        // On PostgreSQL time does not pass for claims during the test.
        const config = { session: { quietHours: 1 }, claims: { silentMinutes: 1_000_000 } };
        const sqlite = await openApp({ engine: 'sqlite', clock, config, tasks });
        const postgres = await openApp({ engine: 'postgres', clock, config, tasks });
        const started: string[] = [];
        for (const [i, each] of commands.entries()) {
          clock.now = new Date(Date.UTC(2026, 0, 1, 0, 3 * i)).toISOString();
          const one = await sqlite.call(...fillInSessions(each, started));
          const other = await postgres.call(...fillInSessions(each, started));
          expect(normalizeLeases(other)).toEqual(normalizeLeases(one));
          if (one.success && startOperations.includes(each.operation)) started.push(one.session.id);
        }
        await sqlite.close();
        await postgres.close();
      },
    ),
    { numRuns: runs },
  );
});

/** Replaces lease times, because PostgreSQL uses its own clock. */
const normalizeLeases = (envelope: Json): unknown =>
  JSON.parse(
    JSON.stringify(envelope, (key, value) => {
      if (key === 'until' || key === 'lastSeen') return '<lease>';
      return key === 'message' ? value.replace(/(?<=last seen at )\S+/, '<lease>') : value;
    }),
  );
