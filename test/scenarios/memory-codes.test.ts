import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp, splitShellWords, type TestApp } from '../app.ts';

interface Case {
  why: string;
  world: string[];
  run: string;
  exit: number;
  code: string;
  fix: string;
  /** A command that works after the fix for the same caller. */
  then: string;
}

const pair = ['memory pattern: One', 'memory pattern: Two'];
const supersedeEntry = (app: TestApp) => app.call('memory.supersede', { old: 'P-001', by: 'P-002' });

const errorCases: Case[] = [
  {
    why: 'an agent accepts a decision',
    world: ['T001', 'memory decision about T001: Tokens are structs'],
    run: 'memory confirm D-001',
    exit: 64,
    code: 'E_AUTONOMOUS_BOUNDARY',
    fix: 'cleo memory fetch D-001',
    then: "update T001 --blocked-by 'D-001 waits for a decision'",
  },
  {
    why: 'an agent rejects one',
    world: ['memory decision: Tokens are structs'],
    run: 'memory reject D-001 --reason Slow',
    exit: 64,
    code: 'E_AUTONOMOUS_BOUNDARY',
    fix: 'cleo memory fetch D-001',
    then: 'memory store --type decision --content "Tokens are classes, not as in D-001"',
  },
  {
    why: 'an agent supersedes one that was accepted',
    world: ['memory decision accepted: Tokens are structs', 'memory decision: Tokens are classes'],
    run: 'memory supersede D-001 --by D-002',
    exit: 64,
    code: 'E_AUTONOMOUS_BOUNDARY',
    fix: 'cleo memory fetch D-001',
    then: 'memory timeline D-001',
  },
  {
    why: 'a missing entry',
    world: pair,
    run: 'memory fetch P-009',
    exit: 4,
    code: 'E_NOT_FOUND',
    fix: 'cleo memory find --type pattern',
    then: 'memory fetch P-002',
  },
  {
    why: 'an invalid id',
    world: pair,
    run: 'memory fetch 12',
    exit: 2,
    code: 'E_INVALID_INPUT',
    fix: 'cleo help memory fetch',
    then: 'memory fetch p2',
  },
  {
    why: 'a missing source',
    world: ['T001', 'research T001-parsers: Parsers'],
    run: 'memory store --type decision --content x --source research:T001-parser',
    exit: 4,
    code: 'E_NOT_FOUND',
    fix: 'cleo research list',
    then: 'memory store --type decision --content x --source research:T001-parsers',
  },
  {
    why: 'an unknown type',
    world: [],
    run: 'memory store --type decison --content x',
    exit: 2,
    code: 'E_INVALID_INPUT',
    fix: 'cleo memory store --type decision --content x',
    then: 'memory fetch D-001',
  },
  {
    why: 'neither words nor an epic',
    world: ['memory decision: X'],
    run: 'memory decision-find',
    exit: 2,
    code: 'E_INVALID_INPUT',
    fix: 'cleo memory find --type decision',
    then: 'memory decision-find --query x',
  },
  {
    why: 'an ADR of a decision that was not accepted',
    world: ['memory decision accepted: X', 'memory learning: Y'],
    run: 'memory draft-adr L-001',
    exit: 6,
    code: 'E_VALIDATION_STATE',
    fix: 'cleo memory find --type decision --state accepted',
    then: 'memory draft-adr D-001',
  },
  {
    why: 'a missing folder',
    world: [],
    run: 'memory import --adr docs/adr',
    exit: 3,
    code: 'E_FILE_ERROR',
    fix: 'cleo help memory import',
    then: 'version',
  },
];

const afterwards: Case[] = [
  {
    why: 'confirming a superseded entry',
    world: pair,
    run: 'memory confirm P-001',
    exit: 6,
    code: 'E_VALIDATION_STATE',
    fix: 'cleo memory fetch P-002',
    then: 'memory confirm P-002',
  },
  {
    why: 'a cycle',
    world: pair,
    run: 'memory supersede P-002 --by P-001',
    exit: 14,
    code: 'E_CIRCULAR_REFERENCE',
    fix: 'cleo memory timeline P-002',
    then: 'memory reject P-002',
  },
  {
    why: 'superseding a superseded entry',
    world: [...pair, 'memory pattern: Three'],
    run: 'memory supersede P-003 --by P-001',
    exit: 6,
    code: 'E_VALIDATION_BY',
    fix: 'cleo memory supersede P-003 --by P-002',
    then: 'memory timeline P-003',
  },
];

describe('each error has its code, changes nothing, and its fix works', () => {
  test.each([...errorCases.map((one) => ({ ...one, first: undefined })), ...afterwards.map((one) => ({ ...one, first: supersedeEntry }))])(
    '$exit $code: $why',
    async ({ world, first, run, exit, code, fix, then }) => {
      const app = await openApp({ tasks: world });
      await first?.(app);
      const { memories } = await app.call('memory.find');
      expect(await app.cli(splitShellWords(run))).toMatchObject({ exitCode: exit, envelope: { success: false, error: { code, fix } } });
      expect((await app.call('memory.find')).memories).toEqual(memories);
      expect((await app.cli(fix)).exitCode).toBe(0);
      expect((await app.cli(splitShellWords(then))).exitCode).toBe(0);
    },
  );
});

test.each([
  ['memory find nothing', 100],
  ['memory decision-find --epic T001', 100],
  ['memory import', 100],
  ['memory observe Seen', 101],
  ['memory import --adr adr', 101],
  ['memory confirm O-001', 102],
])('%s is not an error (%i)', async (line, exit) => {
  const app = await openApp({ tasks: ['T001 epic', 'memory observation accepted: Seen'] });
  mkdirSync(join(app.root, 'adr'));
  writeFileSync(join(app.root, 'adr', '1-a.md'), '# A\n\n## Status\nProposed\n');
  if (line.includes('--adr')) await app.cli(splitShellWords(line));
  expect(await app.cli(splitShellWords(line))).toMatchObject({ exitCode: exit, envelope: { success: true } });
});

test.each([
  ['cleo memory observe "..." --title "..."', 'memory.id'],
  ['cleo memory store --type decision --content "..." --title "..."', 'memory.id'],
  ['cleo memory decision-find --query structs', 'decisions.0.id'],
  ['cleo memory find structs --type decision', 'memories.0.id'],
  ['cleo memory fetch D-001', 'memory.content'],
  ['cleo memory decision-find --epic T001', 'decisions.0.id'],
  ['cleo memory fetch D-001', 'memory.confirmation_state'],
  ['cleo memory fetch D-001', 'memory.source_table'],
  ['cleo memory fetch D-001', 'memory.source_rowid'],
])('the documented line %s runs as written and returns %s', async (line, key) => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'session session-1 global by ada'] });
  await app.call('memory.store', { type: 'decision', content: 'Tokens are structs', task: 'T002', source: 'session:session-1' });
  const { exitCode, envelope } = await app.cli(splitShellWords(line).slice(1));
  expect(exitCode).toBe(0);
  expect(key.split('.').reduce((value, step) => value?.[step], envelope)).toBeTypeOf('string');
});
