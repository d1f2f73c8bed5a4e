import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { buildReviews, parseReviews } from '../../src/runs/rules/review-state.ts';
import { parseTrace } from '../../src/runs/rules/trace.ts';
import { runtimePath } from '../built-cli.ts';
import { grantPerson } from '../person-token.ts';
import { createReviewRequest, hashText, writeReviews, writeRun } from '../run-files.ts';
import { createFaultFolder, createFaultProject, pickSize, root } from './processes.ts';

const at = '2026-01-01T00:00:00.000Z';

/** Bundles a program that imports our code into one file. */
async function bundleProgram(folder: string, contents: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  const options = { bundle: true, format: 'esm', platform: 'node', target: 'node20', outfile, logLevel: 'error' } as const;
  await build({ ...options, stdin: { contents, resolveDir: root, loader: 'ts' } });
  return outfile;
}

const quoteSource = (path: string): string => JSON.stringify(join(root, 'src', path));

test('a trace whose writer was killed continues after its last complete line', async () => {
  const folder = createFaultFolder();
  const path = join(folder, 'trace.jsonl');
  const program = await bundleProgram(
    folder,
    `import { createHash } from 'node:crypto';
import { openTraceWriter } from ${quoteSource('platform/runner/run-files.ts')};
const redactor = { text: (text) => text, value: (value) => value, stream: () => { throw new Error(); }, counts: () => ({}) };
const hash = (text) => createHash('sha256').update(text).digest('hex');
const trace = openTraceWriter(${JSON.stringify(path)}, { runId: 'run-a', redactor, now: () => new Date().toISOString(), hash });
console.log(trace.lines());
for (let place = 0; ; place++) trace.write(place % 5 === 0 ? 'gate_checked' : 'note', { place, text: 'x'.repeat((place * 997) % 60000) });`,
  );
  let least = 0;
  for (let i = 0; i < pickSize(12, 100); i += 1) {
    const child = spawn(runtimePath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(Number(said)).toBeGreaterThanOrEqual(least);
    least = Number(said);
    await sleep(Math.random() * 40);
    child.kill('SIGKILL');
    await once(child, 'close');
    const { firstInvalid, problems, lines } = parseTrace(readFileSync(path, 'utf8'), hashText);
    expect(firstInvalid).toBeUndefined();
    expect(problems.length).toBeLessThanOrEqual(1);
    least = Math.max(least, lines.length);
  }
  expect(least).toBeGreaterThan(10);
});

test('concurrent reviews are all in the review list and in the trace', async () => {
  const project = await createFaultProject();
  const folder = join(project.root, '.cleo');
  const crowd = pickSize(12, 24);
  const trace = writeRun(folder, { id: 'run-a' });
  writeReviews(folder, [createReviewRequest('rv-all', 'run-a', { reviewers_required: crowd })]);
  const reviewers = Array.from({ length: crowd }, (_, i) => `ada-${i}`);
  const env = await grantPerson(project.root, { CLEO_HOME: join(project.root, '.home') });
  const ended = await Promise.all(
    reviewers.map((by, i) =>
      project.run(['review', 'resolve', 'rv-all', '--verdict', 'pass', '--score', String(i / crowd)], { env: { ...env, LOGNAME: by } }),
    ),
  );
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(reviewers.map(() => 0));
  const { events, problems } = parseReviews(readFileSync(join(folder, 'reviews.jsonl'), 'utf8'));
  expect(problems).toEqual([]);
  expect(
    buildReviews(events, at)[0]!
      .resolutions.map(({ by }) => by)
      .sort(),
  ).toEqual(reviewers.toSorted());
  const told = parseTrace(readFileSync(trace, 'utf8'), hashText);
  expect(told.firstInvalid).toBeUndefined();
  expect(told.lines.filter(({ line }) => line.event === 'review_resolved')).toHaveLength(crowd);
  await project.runOk(['trace', 'verify', '--all']);
});

test('exactly one of many concurrent review claims wins', async () => {
  const project = await createFaultProject();
  const folder = join(project.root, '.cleo');
  writeRun(folder, { id: 'run-a' });
  writeReviews(folder, [createReviewRequest('rv-1', 'run-a')]);
  const ended = await Promise.all(
    Array.from({ length: pickSize(6, 16) }, (_, i) => project.run(['review', 'claim', 'rv-1', '--agent', `ada-${i}`])),
  );
  expect(ended.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  expect(ended.filter(({ exitCode }) => exitCode === 35)).toHaveLength(ended.length - 1);
});

test('a killed review neither blocks the next one nor damages the trace', async () => {
  const project = await createFaultProject();
  const folder = join(project.root, '.cleo');
  writeRun(folder, { id: 'run-a' });
  const kills = pickSize(10, 100);
  const began = performance.now();
  writeReviews(folder, [createReviewRequest('rv-0', 'run-a')]);
  const env = await grantPerson(project.root, { CLEO_HOME: join(project.root, '.home') });
  await project.runOk(['review', 'resolve', 'rv-0', '--verdict', 'pass', '--score', '1'], { env });
  let lifeMs = performance.now() - began;
  let struck = 0;
  for (let i = 1; i <= kills; i += 1) {
    const words = ['review', 'resolve', `rv-${i}`, '--verdict', 'fail', '--score', '0.5'];
    writeReviews(folder, [createReviewRequest(`rv-${i}`, 'run-a')]);
    const onStart = (child: ChildProcess): void => {
      void sleep(lifeMs * (0.3 + Math.random() * 0.8)).then(() => child.kill('SIGKILL'));
    };
    if ((await project.run(words, { env, onStart })).signal === 'SIGKILL') struck += 1;
    const begins = performance.now();
    const again = await project.run(words, { env });
    // The machine may be faster than when the time was measured.
    lifeMs = Math.min(lifeMs, performance.now() - begins);
    expect([0, 101]).toContain(again.exitCode);
    expect(again.answer.review).toMatchObject({ status: 'resolved', resolutions: [{ score: 0.5 }] });
    expect((await project.run(['trace', 'verify', 'run-a'])).exitCode).toBe(0);
  }
  expect(struck).toBeGreaterThan(kills / 4);
});
