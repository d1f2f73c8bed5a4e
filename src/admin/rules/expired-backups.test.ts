import { expect, test } from 'vitest';
import { listExpiredBackups } from './expired-backups.ts';

/** `3 10:00 automatic`: day, time and kind. */
const parseBackups = (...lines: string[]) =>
  lines.map((line) => {
    const [day, time, kind] = line.split(' ') as [string, string, 'manual'];
    return { id: line, kind, createdAt: `2026-01-0${day}T${time}:00.000Z` };
  });

test.each<{ why: string; backups: string[]; keep: number; expired: string[] }>([
  { why: 'no backups', backups: [], keep: 10, expired: [] },
  { why: 'as many as the limit', backups: ['2 10:00 manual', '1 10:00 manual'], keep: 2, expired: [] },
  { why: 'one above the limit', backups: ['3 10:00 manual', '2 10:00 manual', '1 10:00 manual'], keep: 2, expired: ['1 10:00 manual'] },
  { why: 'the newest is always kept', backups: ['2 10:00 manual', '1 10:00 manual'], keep: 0, expired: ['1 10:00 manual'] },
  {
    why: 'only the first automatic backup of each day is kept',
    backups: ['3 09:00 manual', '2 18:00 automatic', '2 12:00 automatic', '2 08:00 automatic', '1 08:00 automatic'],
    keep: 10,
    expired: ['2 18:00 automatic', '2 12:00 automatic'],
  },
  {
    why: 'the newest is kept even if it is the second of its day, because a migration may need it',
    backups: ['2 18:00 automatic', '2 12:00 automatic', '2 08:00 automatic'],
    keep: 10,
    expired: ['2 12:00 automatic'],
  },
  {
    why: 'all manual backups of one day are kept',
    backups: ['1 12:00 manual', '1 11:00 manual', '1 10:00 replaced', '1 09:00 automatic'],
    keep: 10,
    expired: [],
  },
])('$why', ({ backups, keep, expired }) => {
  expect(listExpiredBackups(parseBackups(...backups), keep)).toEqual(expired);
});
