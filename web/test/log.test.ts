import { expect, test } from 'vitest';
import { tamperSqlite } from '../../test/app.ts';
import { useSite } from './open-page.ts';
import { addSamplePlan, requireSuccess } from './sample-plan.ts';
import { addSampleRelease } from './sample-release.ts';

const count = 260;

const site = useSite(async (project) => {
  await addSamplePlan(project);
  await project.post('mutate/tasks/start', { taskId: 'T999' });
  for (let i = 0; i < count; i++) await project.post('mutate/tasks/update', { taskId: 'T011', notes: `Note ${i}` }).then(requireSuccess);
  await project.post('mutate/release/create', { version: 'v1.0.0' }).then(requireSuccess);
});

test('shows the log from the newest entry to the first, and adds new ones as they are written', async () => {
  const page = await site.open({ path: '/log' });
  const list = page.getByRole('list', { name: /^Entries of the log/ });
  await list.getByText('release.create').waitFor();
  const first = page.locator('.log-row [title="Open entry 1"]');
  // Older pages are read while the list is scrolled.
  await expect
    .poll(
      async () => {
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return first.count();
      },
      { timeout: 5000 },
    )
    .toBe(1);
  await list.evaluate((element) => element.scrollTo(0, 0));
  await site.project.post('mutate/tasks/update', { taskId: 'T006', priority: 'high' });
  await list.getByRole('link', { name: 'T006' }).waitFor();
  // A call that failed is an entry too.
  await site.project.post('mutate/tasks/start', { taskId: 'T998' });
  await list.locator('.log-row').first().getByText('E_NOT_FOUND').waitFor();
});

test('filters by operation, agent, task and outcome, in the address', async () => {
  const page = await site.open({ path: '/log' });
  const rows = page.locator('.log-row');
  await rows.first().waitFor();
  await page.keyboard.press('f');
  await page.keyboard.type('tasks.start');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.filter({ hasNotText: 'tasks.start' }).count()).toBe(0);
  await page.getByLabel('Agent').fill('linus');
  await page.getByLabel('Agent').press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).search).toBe('?operation=tasks.start&agent=linus');
  await page.reload();
  await rows.getByText('tasks.start').waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByLabel('Agent').fill('nobody');
  await page.getByLabel('Agent').press('Enter');
  await page.getByRole('button', { name: 'Show all entries' }).click();
  await page.getByLabel('Outcome').selectOption('failed');
  await rows.getByText('E_NOT_FOUND').first().waitFor();
  await page.getByLabel('Outcome').selectOption('');
  await page.getByLabel('Task', { exact: true }).fill('T010');
  await page.getByLabel('Task', { exact: true }).press('Enter');
  await rows.getByText('tasks.add').waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  await page.keyboard.press('Escape');
  await page.getByLabel('Since').selectOption('1h');
  await rows.nth(3).waitFor();
  await page.getByLabel('Until').fill('2020-01-01');
  await page.getByText('No entry matches').waitFor();
});

test('opens an entry with its parameters, by keyboard', async () => {
  const page = await site.open({ path: '/log?operation=memory.store' });
  await page.locator('.log-row').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Entry / });
  await dialog.getByText('"Tokens are structs"').waitFor();
  await dialog.getByRole('link', { name: 'D-001' }).waitFor();
  await page.keyboard.press('Escape');
});

test('lists releases, opens one by keyboard, and follows how it is shipped', async () => {
  const page = await site.open({ path: '/log' });
  await page.getByRole('button', { name: 'Releases' }).click();
  await page.getByRole('button', { name: 'v1.0.0' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Release v1.0.0' });
  await dialog.getByText('Choose the exit codes').waitFor();
  await dialog.getByText('cleo release ship v1.0.0').waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ show: 'releases', release: 'v1.0.0' });
  await addSampleRelease(site.project);
  await dialog.getByRole('list', { name: 'Steps' }).getByText('v1.0.0').waitFor();
  await dialog.getByText('parser.txt').waitFor();
  await page.reload();
  await dialog.getByRole('list', { name: 'Tasks' }).getByText('Tokens for strings').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listitem').filter({ hasText: 'v1.0.0' }).getByText('shipped').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'v1.1.0' }).getByRole('link', { name: /T002/ }).waitFor();
});

test('verifies the chain and names the first broken entry', async () => {
  const page = await site.open({ path: '/log' });
  await page.getByText(/The chain of \d+ entries is intact/).waitFor();
  await tamperSqlite(site.project.root, "update audit_log set agent_id = 'mallory' where seq = 5");
  await page.getByRole('button', { name: 'Verify' }).click();
  await page
    .locator('.chain-status.broken')
    .getByText(/entry 5/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Open entry 5' }).click();
  await page.getByRole('dialog', { name: 'Entry 5' }).getByText('mallory').waitFor();
});
