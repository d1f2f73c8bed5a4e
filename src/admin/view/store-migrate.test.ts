import { expect, test } from 'vitest';
import { renderWith } from '../../../test/render.ts';
import { storeMigrateView } from './store-migrate.ts';

test('draws both places, the tables that have rows, and what is left to do', async () => {
  const answer = {
    from: { engine: 'sqlite', place: '/home/ada/parser/.cleo/cleo.db' },
    to: { engine: 'postgres', place: 'postgres://cleo@db/cleo' },
    rows: 2,
    tables: [
      { table: 'jobs', rows: 0 },
      { table: 'tasks', rows: 2, digest: 'abc' },
    ],
    next: 'Commit .cleo/config.json and restart cleo serve',
  };
  expect(await renderWith(storeMigrateView)(answer)).toBe(
    [
      'rows  2',
      'next  Commit .cleo/config.json and restart cleo serve',
      '',
      'from  sqlite, /home/ada/parser/.cleo/cleo.db',
      '',
      'to  postgres, postgres://cleo@db/cleo',
      '',
      'tables',
      '  TABLE  ROWS',
      '  tasks     2',
      '',
    ].join('\n'),
  );
});
