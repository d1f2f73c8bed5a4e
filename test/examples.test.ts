import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runCleo } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';
import { trustProject } from './trust.ts';

const folder = resolve(import.meta.dirname, '..', 'examples');
const examples = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  existsSync(join(folder, entry.name, 'README.md')) ? [entry.name] : [],
);

/** Copies an example. Its commands have only a shell and Node. */
function copyExample(example: string): string {
  const place = join(createTempFolder(), 'project');
  cpSync(join(folder, example), place, { recursive: true });
  return place;
}

const getEnv = (place: string) => ({ HOME: dirname(place), PATH: ['/usr/bin', '/bin', dirname(process.execPath)].join(':') });

test.each(examples)('the commands in the README of %s exit as documented', async (example) => {
  const place = copyExample(example);
  const lines = readFileSync(join(place, 'README.md'), 'utf8').matchAll(/^ {4}cleo (.*?)(?:\s+# (.*))?$/gm);
  const ran: string[] = [];
  for (const [, words = '', said = ''] of lines) {
    ran.push(words);
    if (words === 'trust') {
      await trustProject(place, getEnv(place));
      continue;
    }
    const { exitCode, out, err } = await runCleo(words.trim().split(/\s+/), { cwd: place, env: getEnv(place) });
    const expected = Number(/^exit (\d+)/.exec(said)?.[1] ?? 0);
    expect([words, exitCode, expected === exitCode ? '' : out + err]).toEqual([words, expected, '']);
  }
  expect(ran).toContain('init');
  expect(ran.filter((words) => words.startsWith('construct run')).length).toBeGreaterThan(0);
});

test('another skill repairs a rejected handoff, and planning continues', async () => {
  const cwd = copyExample('prd-to-sprint');
  const cleo = async (words: string) => JSON.parse((await runCleo(words.split(' '), { cwd, env: getEnv(cwd) })).out);
  await cleo('init');
  await trustProject(cwd, getEnv(cwd));
  const { error } = await cleo('construct run');
  expect(error).toMatchObject({ exitCode: 80, details: { run: { handoffs: [{ accepted: false }] } } });
  expect(error.details.remediation).toContain('goals needs');
  expect(existsSync(join(cwd, 'grimoires/prd-to-sprint/sprint.md'))).toBe(false);
  expect((await cleo('skill run finish-prd --outputs grimoires/prd-to-sprint/prd.md')).primary).toEqual({ sections: 7 });
  const { run } = await cleo('construct run --from planning');
  expect(run).toMatchObject({ status: 'success', handoffs: [{ accepted: true, completeness: 1 }] });
  expect(readFileSync(join(cwd, 'grimoires/prd-to-sprint/sprint.md'), 'utf8')).toContain('## Acceptance criteria');
});

test('runs three attempts, a judge and a review', async () => {
  const cwd = copyExample('checks');
  const cleo = async (words: string) => JSON.parse((await runCleo(words.split(' '), { cwd, env: getEnv(cwd) })).out);
  await cleo('init');
  await trustProject(cwd, getEnv(cwd));
  const { run } = await cleo('construct run');
  expect(run.executions).toMatchObject([
    { skill: 'fetch-prices', attempts: 3 },
    { skill: 'report-prices', attempts: 1, gates: ['skipped', 'passed', 'passed', 'passed', 'passed'] },
  ]);
  const reviews = readFileSync(join(cwd, '.cleo/reviews.jsonl'), 'utf8').trim().split('\n');
  expect(reviews.map((line) => JSON.parse(line).kind)).toEqual(['requested']);
});
