import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPassphrase } from '../../src/platform/passphrase.ts';
import { tamperSqlite } from '../../test/app.ts';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';

const site = useSite(addSamplePlan);

const passphrase = 'correct horse';
const emptySite = useSite(undefined, {
  prepare: async (_root, home) => {
    writeFileSync(join(home, '.cleo', 'config.json'), JSON.stringify({ decide: { proof: 'passphrase' } }));
    await createPassphrase(join(home, '.cleo')).set(passphrase);
  },
});

test('Now shows who works on what, what waits, what was finished, and the epics', async () => {
  const page = await site.open();
  const panel = (name: string) => page.getByRole('region', { name });
  await panel('At work').getByText('Write the lexer').waitFor();
  expect(await panel('At work').innerText()).toMatch(/ada[\s\S]*grace/);
  await panel('Waits for a person').getByText('Tokens are structs').waitFor();
  await panel('Waits for a person').getByText('The team has to choose the colours').waitFor();
  expect(await panel('Finished today').innerText()).toContain('Tokens for strings');
  expect(
    await panel('Epics')
      .getByRole('img', { name: /Command line: 1 of 4 done, 1 active, 1 blocked/ })
      .count(),
  ).toBe(1);
});

test('Now shows the last sign of life, and a task that takes no more evidence until a person looks at it', async () => {
  await tamperSqlite(
    site.project.root,
    "insert into task_verifications (task_id, round, failed) values ('T005', 6, 5), ('T006', 2, 1); update claims set renewed_at = claimed_at where task_id = 'T003'",
  );
  const page = await site.open();
  await page
    .getByRole('region', { name: 'At work' })
    .getByText(/since .*, seen /)
    .first()
    .waitFor();
  const waiting = page.getByRole('region', { name: 'Waits for a person' });
  const row = waiting.getByRole('listitem').filter({ hasText: 'Report errors with line and column' });
  await row.getByText('rejected in 5 rounds').waitFor();
  expect(await waiting.getByText('Recover after an error').count()).toBe(0);
  await row.getByRole('button', { name: 'Block' }).click();
  await waiting.getByText('verification failed 5 times').waitFor();
  await row.first().getByRole('button', { name: 'Block' }).waitFor({ state: 'detached' });
  expect((await site.project.post('query/tasks/show', { taskId: 'T005' })).task.status).toBe('blocked');
});

test('Now unblocks a task', async () => {
  const page = await site.open();
  await page.getByRole('listitem').filter({ hasText: 'Colour the output' }).getByRole('button', { name: 'Unblock' }).click();
  await page.getByText('The team has to choose the colours').waitFor({ state: 'detached' });
  expect((await site.project.post('query/tasks/show', { taskId: 'T010' })).task.status).toBe('pending');
});

test('a decision that only a person may confirm shows the command to run at a terminal', async () => {
  const page = await site.open();
  await page.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog', { name: 'A person decides this' });
  await dialog
    .getByText(/cleo memory confirm D-001/)
    .first()
    .waitFor();
});

test('Tree expands, collapses, edits a title in place, and adds inside', async () => {
  const page = await site.open({ path: '/tree' });
  await page.getByText('Write the lexer').waitFor();
  expect(await page.getByText('Tokens for strings').count()).toBe(0);
  await page.getByRole('button', { name: 'Expand all' }).click();
  await page.getByText('Tokens for strings').waitFor();
  expect(new URL(page.url()).searchParams.get('expand')).toBe('all');
  // An epic has the state of what is inside it.
  await page.getByRole('img', { name: 'Inside T001: active' }).waitFor();
  await page.getByRole('button', { name: 'Collapse T001' }).click();
  await page.getByText('Write the lexer').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Expand T001' }).click();
  await page.locator('[data-task=T006]').hover();
  await page.getByRole('button', { name: 'Edit the title of T006' }).click();
  await page.getByLabel('Title of T006').fill('Recover at the next statement');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Recover at the next statement' }).waitFor();
  await page.locator('[data-task=T002]').hover();
  await page.getByRole('button', { name: 'Add a task inside T002' }).click();
  await page.getByLabel('What to do, in the imperative').fill('Read a configuration file');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'Read a configuration file' }).waitFor();
  await page.getByLabel('Filter by text').fill('strings');
  await page.getByText('Recover at').waitFor({ state: 'detached' });
  // The parents of a match stay.
  await page.getByText('Parser for the new grammar').waitFor();
});

test('an empty project says what to do, and a person confirms a decision with the passphrase', async () => {
  const page = await emptySite.open();
  for (const path of ['/', '/board', '/tree']) {
    await page.goto(emptySite.project.url + path);
    await page.getByText('No tasks yet').waitFor();
    expect(await page.locator('main').innerText()).toContain('cleo add');
  }
  await page.goto(emptySite.project.url);
  await emptySite.project.post('mutate/memory/store', { type: 'decision', title: 'Amounts are metric', content: 'Our scales are' });
  await page.getByText('Amounts are metric').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog', { name: 'A person decides this' });
  await dialog.getByLabel('Passphrase').fill('wrong horse');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByRole('alert').waitFor();
  expect((await emptySite.project.post('query/memory/fetch', { id: 'D-001' })).memory.confirmation_state).toBe('proposed');
  await dialog.getByLabel('Passphrase').fill(passphrase);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed D-001').waitFor();
  expect(await dialog.count()).toBe(0);
  await page.getByText('Amounts are metric').waitFor({ state: 'detached' });
});

test('Now warns of a stale claim and of a log that was changed', async () => {
  await tamperSqlite(
    site.project.root,
    "update audit_log set agent_id = 'mallory' where seq = 3; update claims set renewed_at = '2026-01-01T00:00:00.000Z' where task_id = 'T007'",
  );
  const warnings = (await site.open()).getByRole('region', { name: 'Warnings' });
  await warnings.getByText('the claim of grace expired').waitFor();
  await warnings.getByText('the audit log was changed: entry 3').waitFor();
});
