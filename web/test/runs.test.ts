import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { grantPerson, personToken } from '../../test/person-token.ts';
import { createRepository, gitIdentity } from '../../test/repository.ts';
import { writeRuns } from '../../test/run-files.ts';
import { trustProject } from '../../test/trust.ts';
import { useSite } from './open-page.ts';
import { addSampleRuns } from './sample-runs.ts';
import { serveProject } from './served-project.ts';

const manifest = `apiVersion: loa/v1
kind: Construct
metadata: {name: shop, version: 1.0.0}
execution: {phases: [make]}
skills: [{name: build, phase: make}]
`;
const site = useSite(async (project) => addSampleRuns(project));

/** Writes a construct with one skill, which runs this script. Returns a function that writes further files. */
function writeConstruct(root: string, script: string): (path: string, text: string) => void {
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text, { mode: 0o755 });
  mkdirSync(join(root, 'skills', 'build'), { recursive: true });
  write('construct.yaml', manifest);
  write('skills/build/run.sh', `#!/bin/sh\n${script}\n`);
  return write;
}

test('lists runs and reviews, filters them, and shows a new run', async () => {
  const page = await site.open({ path: '/runs' });
  const runs = page.getByRole('region', { name: 'Runs' });
  await runs.getByTitle('run-b', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Reviews' }).getByText('a person is to judge it').waitFor();
  await page.getByLabel('Status').selectOption('failure');
  await runs.getByTitle('run-a', { exact: true }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?status=failure');
  await page.getByLabel('Status').selectOption('');
  await page.getByLabel('Filter by text').fill('run-d');
  await runs.getByText('No run matches.').waitFor();
  writeRuns(join(site.project.root, '.cleo'), ['trace run-d success']);
  await runs.getByTitle('run-d', { exact: true }).waitFor();
});

test('a run shows its timeline, gates, artifacts, scores and output; a crashed one how to resume it', async () => {
  const page = await site.open({ path: '/runs/run-b' });
  const lanes = page.getByRole('region', { name: 'Timeline' });
  await lanes.getByTitle('discovery writer').waitFor();
  expect(await lanes.locator('.lane-bar').count()).toBe(1);
  expect(await lanes.locator('.lane-mark.blocked').count()).toBeGreaterThan(0);
  await page.getByRole('region', { name: 'Steps' }).getByText('prd_completeness: prd.md has 0.4 of 0.8').waitFor();
  await page.getByRole('region', { name: 'Artifacts' }).getByText('prd.md').waitFor();
  await page.getByRole('region', { name: 'Scores' }).getByText('82 %').waitFor();
  await page.getByLabel('Compare with').selectOption('run-a');
  const comparison = page.getByRole('region', { name: 'Comparison of two runs' });
  await comparison.getByText('success → failure').waitFor();
  expect(new URL(page.url()).search).toBe('?compare=run-a');
  await page.goto(`${site.project.url}/runs/run-c`);
  await page.getByText('cleo construct run --resume run-c').waitFor();
  await page.goto(`${site.project.url}/runs/run-z`);
  await page.getByRole('alert').getByText('there is no run').waitFor();
});

test('follows a run with its output, stops it, and shows that it was resumed', async () => {
  const { root, cleo } = site.project;
  const write = writeConstruct(root, 'echo "key sk-ant-api03-0123456789abcdefghij"\nuntil [ -f finish ]; do sleep 0.1; done');
  await trustProject(root, { HOME: join(root, '..', 'home') });
  const page = await site.open({ path: '/runs?status=running' });
  await page.getByText('No run matches.').waitFor();
  const ended = cleo('construct', 'run');
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByText('This run is live').waitFor();
  const output = page.getByRole('region', { name: 'Output of build, attempt 1' });
  await output.getByText(/^key .*redacted/i).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('wrong branch');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped by ada: wrong branch').first().waitFor();
  await page.locator('.run-head .state-badge').getByText('cancelled').waitFor();
  expect((await ended).error.exitCode).toBe(130);
  const run = new URL(page.url()).pathname.split('/').at(-1)!;
  // A page starts no programs: it shows the command, and closes the dialog when the run is active again.
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Resume ${run}` });
  await dialog.getByText(`cleo construct run --resume ${run}`).waitFor();
  const resumed = cleo('construct', 'run', '--resume', run);
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('This run is live').waitFor();
  write('finish', '');
  await page.locator('.run-head .state-badge').getByText('success').waitFor();
  expect((await resumed).run.status).toBe('success');
  expect(await page.getByRole('button', { name: 'Resume', exact: true }).count()).toBe(0);
});

test('a page with a token of scope admin resumes a run', async () => {
  const project = await serveProject({
    config: { serve: { requireToken: true } },
    async prepare(root, HOME) {
      writeConstruct(root, '[ -f skip ]');
      await trustProject(root, { HOME });
      await grantPerson(root, { HOME });
    },
  });
  onTestFinished(() => project.close());
  const { error } = await project.cleo('construct', 'run');
  expect(error.exitCode).toBe(1);
  writeFileSync(join(project.root, 'skip'), '');
  const page = await site.open({ path: '/runs' });
  await page.goto(`${project.url}/runs`);
  await page.getByLabel('Token', { exact: true }).fill(personToken.secret);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.locator('.run-head .state-badge').getByText('success').waitFor();
  await page
    .locator('.notices')
    .getByText(/^Resumed run-/)
    .waitFor();
});

test('a review of a run is resolved by a person', async () => {
  const page = await site.open({ path: '/runs/run-a' });
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
  await page
    .getByRole('dialog', { name: 'A person decides this' })
    .getByText(/cleo review resolve rv-1/)
    .first()
    .waitFor();
});

/** An agent that says something and waits. */
const agent = `console.log('Reading the task'); setTimeout(() => {}, 60_000);`;

test('shows what the agents of cleo work do, and how to stop them', async () => {
  const project = await serveProject({
    env: gitIdentity,
    config: {
      lifecycleEnforcement: { mode: 'off' },
      work: { profile: 'scripted' },
      profiles: { scripted: { argv: [process.execPath, '-e', agent] } },
    },
    async prepare(root, HOME) {
      const repository = createRepository(root);
      writeFileSync(join(root, '.gitignore'), '.cleo\n');
      repository.commit({ 'a.txt': 'first' });
      await trustProject(root, { HOME });
    },
  });
  onTestFinished(() => project.close());
  await project.post('mutate/tasks/add', { title: 'Command line', type: 'epic' });
  await project.post('mutate/tasks/add', { title: 'Read arguments', parent: 'T001' });
  const page = await site.open({ path: '/runs' });
  await page.goto(`${project.url}/runs${new URL(project.page).hash}`);
  await page.getByText('No run yet').waitFor();
  const ended = project.cleo('work', '--scope', 'epic:T001');
  const work = page.getByRole('region', { name: 'Work' });
  await work.getByText('cleo work').waitFor();
  await work.getByText('scripted × 1').waitFor();
  await work.getByText('Read arguments').waitFor();
  await work.getByText('Reading the task').waitFor();
  await work.locator('.state-badge').getByText('working').waitFor();
  await work.getByRole('button', { name: 'Stop T002' }).click();
  await page.getByRole('menuitem', { name: 'Now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop T002' });
  await dialog.getByText('cleo work stop T002 --now', { exact: true }).waitFor();
  await project.cleo('work', 'stop', 'T002', '--now');
  await dialog.waitFor({ state: 'detached' });
  await work.locator('.state-badge').getByText('stopped').waitFor();
  expect((await ended).work.tasks).toMatchObject([{ taskId: 'T002', outcome: 'stopped' }]);
  // The run of the task has the trace. It is continued by the next `cleo work`, not resumed.
  await work.getByRole('link', { name: 'scripted' }).click();
  await page.locator('.run-head .state-badge').getByText('cancelled').waitFor();
  await page.getByRole('region', { name: 'Output of scripted, attempt 1' }).getByText('Reading the task').waitFor();
  expect(await page.getByRole('button', { name: 'Resume', exact: true }).count()).toBe(0);
});
