import fc from 'fast-check';
import { expect, test } from 'vitest';
import { command } from '../commands.ts';
import { openHouse } from '../house.ts';

const runs = process.env.CLEO_FAULTS === 'full' ? 200 : 15;

test('SQLite and PostgreSQL give the same answers to the same calls', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 40, maxLength: 40 }), async (commands) => {
      const clock = { now: '2026-01-01T00:00:00.000Z' };
      const sqlite = await openHouse({ engine: 'sqlite', clock });
      const postgres = await openHouse({ engine: 'postgres', clock });
      for (const [i, { operation, params, agent }] of commands.entries()) {
        clock.now = new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString();
        const one = await sqlite.call(operation, params, { agent });
        const other = await postgres.call(operation, params, { agent });
        expect(other).toEqual(one);
      }
    }),
    { numRuns: runs },
  );
});
