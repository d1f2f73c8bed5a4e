import { execFile } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { grantPerson } from '../person-token.ts';
import { hostileTexts } from './hostile-values.ts';
import { createFaultFolder, createFaultProject, type EndedProcess, type FaultProject, isFull } from './processes.ts';

/** Command lines with a place for a text. */
const commands: ((text: string) => string[])[] = [
  (text) => ['add', text],
  (text) => ['show', text],
  (text) => ['find', text],
  (text) => [text],
  (text) => ['update', 'T1', '--notes', text],
  (text) => ['add', 'A task', '--parent', text],
  (text) => ['list', `--${text}`],
  (text) => ['list', '--status', text],
  (text) => ['relates', 'add', 'T1', 'T2', text, 'why'],
  (text) => ['complete', 'T1', text],
  (text) => ['focus', text],
  (text) => ['help', text],
  (text) => ['config', 'set', text, text],
  (text) => ['backup', 'restore', text],
  (text) => ['export', '--output', text],
  (text) => ['import', text],
  (text) => ['add-batch', '--file', text],
  (text) => ['show', 'T1', '--fields', text],
  (text) => ['add', 'A task', '--agent', text],
  (text) => ['add', 'A task', '--idempotency-key', text],
  (text) => ['add', 'A task', '--session', text],
  (text) => ['session', 'start', '--scope', text, '--auto-focus'],
  (text) => ['session', 'start', '--scope', `epic:${text}`, '--auto-focus'],
  (text) => ['session', 'start', '--scope', 'task:T1', '--focus', text, '--agent', text],
  (text) => ['session', 'resume', text],
  (text) => ['session', 'show', text],
  (text) => ['session', text],
  (text) => ['session', 'end', '--session', text, '--note', text],
  (text) => ['safestop', '--reason', text],
  (text) => ['context', 'report', '--used', text, '--max', '100'],
];

/** Checks that the answer is one line of JSON or the requested text, without diagnostics or a stack trace. */
function checkAnswer({ exitCode, stdout, stderr, answer }: EndedProcess, what: string): void {
  expect([what, exitCode, stderr]).toEqual([what, expect.any(Number), '']);
  expect([what, exitCode === 1]).toEqual([what, false]);
  expect([what, /\n\s+at .*:\d+:\d+/.test(stdout)]).toEqual([what, false]);
  if (exitCode !== 0 && (exitCode ?? 0) < 100) expect([what, answer.error?.exitCode]).toEqual([what, exitCode]);
}

test('rejects hostile arguments with an error code, and each fix runs as printed', async () => {
  const project = await createFaultProject();
  for (const title of ['One', 'Two']) await project.runOk(['add', title]);
  const fixes = new Set<string>();
  // A command line cannot contain NUL, half a surrogate pair, or words over 128 KB.
  const words = Object.entries(hostileTexts).filter(([, text]) => !text.includes('\0') && text.isWellFormed() && text.length < 50_000);
  const calls = words.flatMap(([kind, text], i) =>
    commands.filter((_, j) => isFull || (i + j) % 10 === 0).map((command) => ({ kind, argv: command(text) })),
  );
  expect(calls.length).toBeGreaterThan(100);
  await runInFours(calls, async ({ kind, argv }) => {
    const ended = await project.run(argv);
    checkAnswer(ended, `${argv[0]?.slice(0, 20)} … ${kind}`);
    if (ended.answer.error) fixes.add(ended.answer.error.fix);
  });
  expect(fixes.size).toBeGreaterThan(10);
  const run = createShell(project, await grantPerson(project.root, { CLEO_HOME: join(project.root, '.home') }));
  const astray: string[] = [];
  await runInFours([...fixes], async (fix) => {
    const exitCode = await run(fix.replace('Ask a person to run: ', ''));
    if ([1, 2, -1].includes(exitCode) || exitCode > 102) astray.push(`${exitCode} ${fix}`);
  });
  expect(astray).toEqual([]);
  expect(existsSync(join(project.root, 'pwned'))).toBe(false);
  expect((await project.runOk(['show', 'T1'])).task.id).toBe('T001');
});

test('rejects hostile files and standard input with an error code', async () => {
  const project = await createFaultProject();
  await project.runOk(['add', 'One']);
  const inputs: Record<string, string | Buffer> = {
    nothing: '',
    'no JSON': 'not json',
    'half of it': '[{"title":"x"',
    'deep JSON': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'deep objects': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    'own __proto__': '[{"title":"x","__proto__":{"isAdmin":true}}]',
    'a huge number': '[{"title":"x","expectRevision":1e999}]',
    'not a list': '"title"',
    null: 'null',
    'a byte order mark': '\ufeff[{"title":"With a mark"}]',
    binary: Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 131) % 256)),
    'ten megabytes of title': JSON.stringify([{ title: 'x'.repeat(10_000_000) }]),
    'NUL in a title': '[{"title":"a\\u0000b"}]',
    'half a surrogate pair': '[{"title":"a\\ud800b"}]',
  };
  for (const [kind, text] of Object.entries(inputs)) {
    const file = join(project.root, 'input');
    writeFileSync(file, text);
    for (const argv of [
      ['add-batch', '--file', file],
      ['import', file],
    ]) {
      const ended = await project.run(argv);
      checkAnswer(ended, `${argv[0]} ${kind}`);
      expect([kind, ended.exitCode === 0]).toEqual([kind, kind === 'a byte order mark' && argv[0] === 'add-batch']);
    }
    checkAnswer(await project.run(['add-batch', '--file', '-'], { stdin: text.toString('latin1') }), `standard input ${kind}`);
  }
});

/** Runs command lines as printed in a shell with `cleo`. */
function createShell(project: FaultProject, person: Record<string, string>): (line: string) => Promise<number> {
  const bin = createFaultFolder();
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${cleoRunner}" "${cleoPath}" "$@"\n`);
  chmodSync(join(bin, 'cleo'), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: bin, ...person };
  return (line) =>
    new Promise((done) => {
      const child = execFile('bash', ['-c', line], { cwd: project.root, env, timeout: 30_000 }, () => done(child.exitCode ?? -1));
      child.stdin?.end();
    });
}

async function runInFours<T>(items: T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const item of left) await run(item);
    }),
  );
}
