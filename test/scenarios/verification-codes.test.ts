import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asPerson, openApp, splitShellWords, type TestApp } from '../app.ts';
import { createRepository } from '../repository.ts';

interface Case {
  why: string;
  world: string[];
  config?: Record<string, unknown>;
  arrange?: (app: TestApp) => Promise<unknown>;
  run: string;
  exit: number;
  code: string;
  fix: RegExp;
  /** A command that works after the fix; by default the failed command. */
  then?: string;
  ends?: number;
}

const formatVerify = (gate: string, more = ''): string =>
  `verify T001 --gate ${gate} --evidence ${gate.startsWith('i') ? 'files:work.txt' : 'tool:pass'}${more}`;
const tools = { pass: [process.execPath, '-e', ''], fail: [process.execPath, '-e', 'process.exit(1)'] };
const shown = ['T001', 'gate T001 implemented by tester', 'gate T001 testsPassed by tester'];
const before = ['research', 'consensus', 'specification', 'decomposition', 'implementation', 'contribution'];
const released = ['T001 epic', ...before.map((stage) => `stage T001 ${stage} completed`), 'stage T001 release active'];

const errorCases: Case[] = [
  {
    why: 'a blocked task',
    world: ['T001 blocked'],
    run: formatVerify('implemented'),
    exit: 40,
    code: 'E_VERIFICATION_INIT_FAILED',
    fix: /^cleo update T001 --clear-blocked-by$/,
  },
  {
    why: 'open subtasks',
    world: ['T001 epic', 'T002 in T001'],
    run: formatVerify('implemented'),
    exit: 40,
    code: 'E_VERIFICATION_INIT_FAILED',
    fix: /^cleo list --parent T001$/,
    then: 'complete T002',
  },
  {
    why: 'a text instead of evidence',
    world: ['T001'],
    run: `verify T001 --gate implemented --evidence 'it works'`,
    exit: 41,
    code: 'E_GATE_UPDATE_FAILED',
    fix: /^cleo verify T001$/,
    then: formatVerify('implemented'),
  },
  {
    why: 'invalid evidence',
    world: ['T001'],
    run: 'verify T001 --gate implemented --evidence files:none.txt',
    exit: 41,
    code: 'E_GATE_UPDATE_FAILED',
    fix: /^cleo verify T001$/,
    then: formatVerify('implemented', ' --round 1'),
  },
  {
    why: 'an unknown gate',
    world: ['T001'],
    run: formatVerify('testsPased'),
    exit: 42,
    code: 'E_INVALID_GATE',
    fix: /--gate testsPassed/,
    arrange: (app) => app.cli(splitShellWords(formatVerify('implemented'))),
    then: 'verify T001',
  },
  {
    why: 'an unknown agent',
    world: ['T001'],
    run: formatVerify('implemented', ' --agent mallory'),
    exit: 43,
    code: 'E_INVALID_AGENT',
    fix: /^cleo verify T001 --gate implemented --evidence files:work.txt$/,
    then: 'verify T001',
  },
  {
    why: 'an invalid agent name',
    world: ['T001'],
    run: formatVerify('implemented', " --agent 'no name'"),
    exit: 43,
    code: 'E_INVALID_AGENT',
    fix: /^cleo verify T001 --gate implemented --evidence files:work.txt$/,
    then: 'verify T001',
  },
  {
    why: 'too many failed rounds',
    world: ['T001', 'gate T001 implemented by tester'],
    config: { verification: { maxRounds: 1, tools } },
    arrange: (app) => app.cli(splitShellWords('verify T001 --gate testsPassed --evidence tool:fail')),
    run: formatVerify('testsPassed'),
    exit: 44,
    code: 'E_MAX_ROUNDS_EXCEEDED',
    fix: /^cleo verify T001$/,
    then: 'config set verification.maxRounds 6',
  },
  {
    why: 'a gate before its dependency',
    world: ['T001'],
    run: formatVerify('testsPassed'),
    exit: 45,
    code: 'E_GATE_DEPENDENCY',
    fix: /^cleo verify T001$/,
    then: formatVerify('implemented'),
  },
  {
    why: 'evidence that changed',
    world: ['T001'],
    arrange: async (app) => {
      writeFileSync(join(app.root, 'a.txt'), 'a');
      await app.cli(splitShellWords('verify T001 --gate implemented --evidence files:a.txt'));
      writeFileSync(join(app.root, 'a.txt'), 'b');
    },
    run: 'complete T001',
    exit: 45,
    code: 'E_EVIDENCE_STALE',
    fix: /^cleo verify T001 --gate implemented --evidence files:a.txt$/,
  },
  {
    why: 'a done task',
    world: ['T001 done'],
    run: formatVerify('implemented'),
    exit: 46,
    code: 'E_VERIFICATION_LOCKED',
    fix: /^cleo reopen T001$/,
  },
  {
    why: 'a past round',
    world: ['T001', 'gate T001 implemented by tester'],
    config: { verification: { tools } },
    arrange: (app) => app.cli(splitShellWords('verify T001 --gate testsPassed --evidence tool:fail')),
    run: formatVerify('testsPassed', ' --round 1'),
    exit: 47,
    code: 'E_ROUND_MISMATCH',
    fix: /--round 2$/,
    then: 'verify T001',
  },
  {
    why: 'a stage before its predecessors',
    world: ['T001 epic'],
    run: 'lifecycle start T001 implementation',
    exit: 80,
    code: 'E_LIFECYCLE_GATE_FAILED',
    fix: /^cleo lifecycle skip T001 research --through decomposition --reason /,
  },
  {
    why: 'a check of a stage before its predecessors',
    world: ['T001 epic', 'stage T001 research completed'],
    run: 'lifecycle check T001 specification',
    exit: 80,
    code: 'E_LIFECYCLE_GATE_FAILED',
    fix: /^cleo lifecycle skip T001 consensus --through consensus --reason /,
  },
  {
    why: 'a skip without a reason',
    world: ['T001 epic'],
    run: 'lifecycle skip T001 research',
    exit: 81,
    code: 'E_AUDIT_MISSING',
    fix: /^cleo lifecycle skip T001 research --reason /,
    then: 'lifecycle start T001 consensus',
  },
  {
    why: 'attesting the own work as a gate',
    world: shown,
    run: formatVerify('qaPassed'),
    exit: 82,
    code: 'E_CIRCULAR_VALIDATION',
    fix: /^cleo verify T001$/,
    then: 'show T001',
  },
  {
    why: 'judging the own work',
    world: shown,
    run: 'validator attest T001',
    exit: 82,
    code: 'E_CIRCULAR_VALIDATION',
    fix: /^cleo verify T001$/,
    then: 'show T001',
  },
  {
    why: 'a completed stage',
    world: ['T001 epic', 'stage T001 research completed'],
    run: 'lifecycle start T001 research',
    exit: 83,
    code: 'E_LIFECYCLE_TRANSITION_INVALID',
    fix: /^cleo lifecycle reset T001 research$/,
  },
  {
    why: 'a release without provenance',
    world: released,
    arrange: async (app) => createRepository(app.root).commit({ 'a.txt': 'a' }),
    run: 'lifecycle complete T001 release',
    exit: 84,
    code: 'E_PROVENANCE_REQUIRED',
    fix: /^cleo lifecycle complete T001 release --provenance commit:[0-9a-f]{40}$/,
    then: 'lifecycle status T001',
  },
];

describe('each error has its code, changes no task, and its fix works', () => {
  test.each(errorCases)(
    '$exit $code: $why',
    async ({ world, config = { verification: { tools } }, arrange, run, exit, code, fix, then, ends = 0 }) => {
      const app = await openApp({ tasks: world, config });
      writeFileSync(join(app.root, 'work.txt'), 'work');
      await arrange?.(app);
      const tasks = (await app.call('tasks.export')).content;
      const refused = await app.cli(splitShellWords(run));
      expect(refused).toMatchObject({ exitCode: exit, envelope: { success: false, error: { code, fix: expect.stringMatching(fix) } } });
      expect((await app.call('tasks.export')).content).toBe(tasks);
      expect((await app.cli(refused.envelope.error.fix)).exitCode).toBe(0);
      const words = splitShellWords(then ?? run);
      expect((await (words[0] === 'config' ? app.cli(words, asPerson) : app.cli(words))).exitCode).toBe(ends);
    },
  );
});

const seedLines = [
  ['verify T001 --gate implemented --evidence files:a.txt', 0],
  ['complete T001', 0],
  ['config set lifecycleEnforcement.mode off', 0],
  ['config set lifecycleEnforcement.mode strict', 0],
] as const;

test('documented verification commands run as written, with ids and evidence filled in', async () => {
  const app = await openApp({ tasks: ['T001'] });
  writeFileSync(join(app.root, 'a.txt'), 'a');
  for (const [line, exit] of seedLines) expect({ line, exit: (await app.cli(splitShellWords(line))).exitCode }).toEqual({ line, exit });
});
