import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('lists what is needed of the database, and that it has it', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const { engine, checks, findings } = await app.call('admin.doctor.store');
  expect(findings).toEqual([]);
  expect(checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
  const names = checks.map(({ check }: { check: string }) => check);
  if (engine === 'postgres') expect(names).toEqual(expect.arrayContaining(['advisory locks', 'LISTEN', 'pg_trgm', 'timeouts', 'rights']));
  else expect(names).toEqual(['version', 'log', 'full-text search']);
  expect(await app.cli(['doctor', '--store'])).toMatchObject({ exitCode: 0, envelope: { engine } });
});
