import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppOptions, asPerson, openApp } from '../../../../test/app.ts';
import { createReviewRequest, writeReviews, writeRun } from '../../../../test/run-files.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';
import { parseReviews } from '../../rules/review-state.ts';

const at = '2026-01-02T00:00:00.000Z';

/** A run that waits for a reviewer, and a clock that can be moved. */
async function world(review: Parameters<typeof createReviewRequest>[2] = {}, options: AppOptions = {}) {
  const clock = { now: at };
  const app = await openApp({ clock, ...options });
  const folder = join(app.root, '.cleo');
  const trace = writeRun(folder, { id: 'run-a' });
  writeReviews(folder, [createReviewRequest('rv-1', 'run-a', review)]);
  return {
    ...app,
    clock,
    folder,
    resolve: (by: string, params: object = {}) =>
      app.as(by).call('review.resolve', { review: 'rv-1', verdict: 'pass', score: 0.9, ...params }, asPerson),
    claim: (by: string) => app.as(by).call('review.claim', { review: 'rv-1' }),
    events: () => parseReviews(readFileSync(join(folder, 'reviews.jsonl'), 'utf8')).events,
    told: () =>
      readFileSync(trace, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"review_resolved"'))
        .map((line) => JSON.parse(line).data),
  };
}

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';

test('lists open reviews and shows the execution without the judge score', async () => {
  const { call, root } = await world();
  expect(await call('review.list')).toMatchObject({ reviews: [{ id: 'rv-1', status: 'open', runId: 'run-a', resolved: '0/1' }] });
  const shown = await call('review.show', { review: 'rv-1' });
  expect(shown).toMatchObject({ review: { id: 'rv-1', goal: 'A PRD', reviewersRequired: 1 }, subject: { status: 'success', exitCode: 0 } });
  expect(JSON.stringify(shown)).not.toMatch(/judgeScore|0\.4/);
  expect(shown._meta).not.toHaveProperty('exitNamespace');
  expect(await call('review.show', { review: 'rv-9' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
  rmSync(join(root, '.cleo', 'reviews.jsonl'));
  // A shared store writes the file anew.
  expect(await call('review.list')).toMatchObject(isPostgres ? { reviews: [{ id: 'rv-1' }] } : { _meta: { exitCode: 100 }, reviews: [] });
});

test('a claim expires after an hour', async () => {
  const { claim, resolve, clock, events } = await world();
  expect(await claim('ada')).toMatchObject({
    until: '2026-01-02T01:00:00.000Z',
    review: { status: 'claimed' },
    data: { updated: ['rv-1'] },
  });
  expect(await claim('bob')).toMatchObject({ error: { code: 'E_REVIEW_CLAIMED', exitCode: 35, details: { holders: ['ada'] } } });
  expect(await resolve('bob')).toMatchObject({ error: { code: 'E_REVIEW_CLAIMED', exitCode: 35 } });
  clock.now = '2026-01-02T00:30:00.000Z';
  expect(await claim('ada')).toMatchObject({ until: '2026-01-02T01:30:00.000Z' });
  clock.now = '2026-01-02T01:30:00.000Z';
  expect(await claim('bob')).toMatchObject({ review: { claims: [{ by: 'bob' }] } });
  expect(events().map(({ event, by }) => `${event} ${by}`)).toEqual([
    'review_requested runner',
    'review_claimed ada',
    'review_claimed ada',
    'review_claimed bob',
  ]);
});

test('shows the judge score after the reviewer has resolved', async () => {
  const { resolve, as } = await world();
  expect(await resolve('ada', { note: 'All there' })).toMatchObject({
    review: { status: 'resolved', verdict: 'pass', humanMean: 0.9, judgeScore: 0.4, resolutions: [{ by: 'ada', isInformed: false }] },
  });
  expect((await as('bob').call('review.show', { review: 'rv-1' })).review).not.toHaveProperty('judgeScore');
});

test('reveals the judge score on request and records that', async () => {
  const { resolve, as, events } = await world();
  expect(await as('ada').call('review.reveal', { review: 'rv-1' })).toMatchObject({ review: { judgeScore: 0.4 } });
  expect(await as('ada').call('review.reveal', { review: 'rv-1' })).toMatchObject({ _meta: { exitCode: 101 } });
  expect(events().filter(({ event }) => event === 'review_revealed')).toMatchObject([{ by: 'ada', at }]);
  expect(await as('ada').call('review.show', { review: 'rv-1' })).toMatchObject({ review: { judgeScore: 0.4 } });
  expect(await resolve('ada')).toMatchObject({ review: { resolutions: [{ isInformed: true }] } });
});

test('accepts a second verdict only if it is identical or amends', async () => {
  const { resolve, events, told } = await world();
  await resolve('ada');
  expect(await resolve('ada')).toMatchObject({ success: true, _meta: { exitCode: 101 } });
  const refused = await resolve('ada', { verdict: 'fail', score: 0.2 });
  expect(refused).toMatchObject({ error: { code: 'E_REVIEW_RESOLVED', exitCode: 6 } });
  expect(refused.error.fix).toBe('cleo review resolve rv-1 --verdict fail --score 0.2 --amend');
  for (const [note, said] of [
    ['too thin', " --note 'too thin'"],
    [`ghp_${'a1B2'.repeat(9)}`, ''],
    ['\u001b[31mred', ''],
  ])
    expect((await resolve('ada', { verdict: 'fail', score: 0.2, note })).error.fix).toBe(
      `cleo review resolve rv-1 --verdict fail --score 0.2${said} --amend`,
    );
  expect(await resolve('bob', { verdict: 'fail', score: 0 })).toMatchObject({ error: { exitCode: 6, fix: 'cleo review show rv-1' } });
  expect(await resolve('ada', { verdict: 'fail', score: 0.2, amend: true })).toMatchObject({
    review: { verdict: 'fail', humanMean: 0.2, resolutions: [{ isAmended: true }] },
  });
  expect(events().map(({ event }) => event)).toEqual(['review_requested', 'review_resolved', 'review_amended']);
  expect(told()).toMatchObject([
    { verdict: 'pass', score: 0.9, amended: false },
    { verdict: 'fail', score: 0.2, amended: true },
  ]);
});

test('refuses to amend without a verdict and suggests resolve', async () => {
  const { resolve } = await world();
  expect(await resolve('ada', { amend: true })).toMatchObject({
    error: { exitCode: 6, fix: 'cleo review resolve rv-1 --verdict pass --score 0.9' },
  });
});

test('is resolved when all required reviewers have resolved it', async () => {
  const { resolve, claim } = await world({ reviewers_required: 2 });
  await claim('ada');
  expect(await resolve('bob', { score: 0.5 })).toMatchObject({ review: { status: 'claimed', verdict: null } });
  expect(await resolve('ada', { verdict: 'fail', score: 0.2 })).toMatchObject({
    review: { status: 'resolved', verdict: 'fail', humanMean: 0.35 },
  });
});

test.each([{ verdict: 'maybe' }, { score: 1.1 }, { score: -0.1 }, { score: 'half' }])('refuses the verdict %j', async (params) => {
  const { resolve, events } = await world();
  expect((await resolve('ada', params)).success).toBe(false);
  expect(events()).toHaveLength(1);
});

test('reads a score that is passed as text', async () => {
  const { resolve } = await world();
  expect(await resolve('ada', { score: '0.5' })).toMatchObject({ success: true, review: { humanMean: 0.5 } });
});

test('refuses a review by the agent that started the run, but not by a person', async () => {
  const agent = await world();
  for (const [operation, params, code] of [
    ['review.claim', {}, 'E_REVIEW_OWN_WORK'],
    ['review.resolve', { verdict: 'pass', score: 1 }, 'E_FORBIDDEN'],
  ] as const)
    expect(await agent.as('maker').call(operation, { review: 'rv-1', ...params })).toMatchObject({ error: { code } });
  const person = await world({}, { agent: 'maker', isAtTerminal: true });
  expect(await person.call('review.resolve', { review: 'rv-1', verdict: 'pass', score: 1 })).toMatchObject({ success: true });
});

test('appends the verdict to the trace, which still verifies', async () => {
  const { resolve, call, told, folder, clock } = await world();
  await resolve('ada', { note: 'private thoughts' });
  expect(told()).toMatchObject([{ review_id: 'rv-1', by: 'ada', verdict: 'pass', score: 0.9, human_mean: 0.9, review_status: 'resolved' }]);
  expect(JSON.stringify(told())).not.toContain('private');
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true, traces: [{ lines: 16 }] });
  expect(JSON.parse(readFileSync(join(folder, 'runs', 'run-a', 'run.json'), 'utf8'))).toMatchObject({ lines: 16, status: 'success' });
  clock.now = '2026-01-02T00:05:00.000Z';
  await resolve('ada', { verdict: 'fail', score: 0, amend: true });
  expect(told()).toHaveLength(2);
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true });
});

test('appends to an active run when it ends and warns if the trace is gone', async () => {
  const { resolve, folder, told, clock } = await world();
  const path = join(folder, 'runs', 'run-a', 'run.json');
  const record = JSON.parse(readFileSync(path, 'utf8'));
  const { readStartTime, readBootId } = await import('#platform/processes.ts');
  writeFileSync(
    path,
    JSON.stringify({ ...record, status: 'running', pid: process.pid, began: readStartTime(process.pid), boot: readBootId() }),
  );
  expect((await resolve('ada'))._meta.warnings).toEqual(['run-a is still active; its trace is updated when it has ended']);
  expect(told()).toEqual([]);
  writeFileSync(path, JSON.stringify(record));
  clock.now = '2026-01-02T00:05:00.000Z';
  expect(await resolve('ada')).toMatchObject({ _meta: { exitCode: 101 } });
  expect(told()).toHaveLength(1);
  rmSync(join(folder, 'traces'), { recursive: true });
  const { warnings } = (await resolve('ada', { score: 0.1, amend: true }))._meta;
  expect(warnings).toEqual(isPostgres ? undefined : ['the trace of run-a no longer exists; nothing was appended']);
  expect(existsSync(join(folder, 'traces', '2026-01-01-run-a.jsonl'))).toBe(isPostgres);
});

test('redacts secrets in a note, also in the audit log', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const { resolve, folder, as } = await world({}, { env: { MY_API_KEY: secret } });
  await resolve('ada', { note: `uses ${secret} and ${token}` });
  const kept = readFileSync(join(folder, 'reviews.jsonl'), 'utf8');
  expect(kept).toMatch(/uses \[REDACTED:value:[0-9a-f]{8}\] and \[REDACTED:/);
  expect(kept + JSON.stringify(await as('ada').call('admin.log'))).not.toMatch(/hunter2|ghp_/);
});

test('reports torn, glued and junk lines by number and reads the rest', async () => {
  const { folder, call, resolve } = await world();
  const path = join(folder, 'reviews.jsonl');
  writeFileSync(path, `${JSON.stringify(createReviewRequest('rv-2', 'run-a'))}{"a":1}\njunk\n{"event":"review_re`, { flag: 'a' });
  expect(await resolve('ada')).toMatchObject({ review: { status: 'resolved' } });
  const listed = await call('review.list', { status: 'all' });
  expect(listed.reviews).toMatchObject([{ id: 'rv-1', status: 'resolved', verdict: 'pass', humanMean: 0.9 }]);
  expect(listed._meta.warnings).toEqual([
    'reviews.jsonl: line 2 holds more than one event',
    'reviews.jsonl: line 3 is not an event',
    'reviews.jsonl: line 4 is not an event',
  ]);
});

test('a requested review is resolved by a person and the trace still verifies', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('writer', 'echo done > out.md');
  shop.writeConstruct(`skills: [{name: writer, phase: one}]
execution: {phases: [one]}
contracts: {one: {outputs: [out.md]}}
assessment: {goal: {mode: review}, redaction: {patterns: ["private-\\\\w+"]}}
`);
  expect(await shop.runConstruct({ intent: 'Write it' })).toMatchObject({ success: true });
  const { reviews } = await shop.call('review.list');
  expect(reviews).toMatchObject([{ status: 'open', phase: 'one', skill: 'writer' }]);
  const review = reviews[0].id;
  expect(await shop.call('review.show', { review })).toMatchObject({
    review: { goal: 'Write it' },
    subject: { artifacts: [{ path: 'out.md' }] },
  });
  expect(await shop.call('review.resolve', { review, verdict: 'pass', score: 1 })).toMatchObject({ error: { exitCode: 64 } });
  expect(await shop.as('ada').call('review.resolve', { review, verdict: 'pass', score: 1, note: 'private-thing' }, asPerson)).toMatchObject(
    {
      review: { resolutions: [{ note: expect.stringMatching(/^\[REDACTED:pattern:/) }] },
    },
  );
  expect(shop.readEvents().at(-1)).toMatchObject({ event: 'review_resolved', phase: 'one', skill: 'writer' });
  expect(await shop.call('trace.verify', { all: true })).toMatchObject({ success: true });
  expect(await shop.call('trace.list')).toMatchObject({ runs: [{ status: 'success', agent: 'tester' }] });
});
