import { expect, test } from 'vitest';
import { superfluous } from './backups.ts';

/** `3 10:00 automatic`: day, time and kind. */
const world = (...lines: string[]) =>
  lines.map((line) => {
    const [day, time, kind] = line.split(' ') as [string, string, 'manual'];
    return { id: line, kind, createdAt: `2026-01-0${day}T${time}:00.000Z` };
  });

test.each<{ why: string; backups: string[]; keep: number; gone: string[] }>([
  { why: 'nothing to keep', backups: [], keep: 10, gone: [] },
  { why: 'as many as are kept', backups: ['2 10:00 manual', '1 10:00 manual'], keep: 2, gone: [] },
  { why: 'one too many', backups: ['3 10:00 manual', '2 10:00 manual', '1 10:00 manual'], keep: 2, gone: ['1 10:00 manual'] },
  { why: 'the newest is kept whatever is asked', backups: ['2 10:00 manual', '1 10:00 manual'], keep: 0, gone: ['1 10:00 manual'] },
  {
    why: 'the first automatic one of each day',
    backups: ['3 09:00 manual', '2 18:00 automatic', '2 12:00 automatic', '2 08:00 automatic', '1 08:00 automatic'],
    keep: 10,
    gone: ['2 18:00 automatic', '2 12:00 automatic'],
  },
  {
    why: 'a second one of the day while it is the newest: a migration may need it',
    backups: ['2 18:00 automatic', '2 12:00 automatic', '2 08:00 automatic'],
    keep: 10,
    gone: ['2 12:00 automatic'],
  },
  {
    why: 'manual ones of one day are all wanted',
    backups: ['1 12:00 manual', '1 11:00 manual', '1 10:00 replaced', '1 09:00 automatic'],
    keep: 10,
    gone: [],
  },
])('$why', ({ backups, keep, gone }) => {
  expect(superfluous(world(...backups), keep)).toEqual(gone);
});
