import { expect, test } from 'vitest';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';

const site = useSite(addSamplePlan);

const getStatus = async (id: string): Promise<string> => (await site.project.post('query/tasks/show', { taskId: id })).task.status;

test('shows the columns with counts and groups, and a change of the command line within a second', async () => {
  const page = await site.open({ path: '/board' });
  const blocked = page.locator('[data-status=blocked]');
  await blocked.getByText('Colour the output').waitFor();
  expect(await blocked.locator('.column-head').innerText()).toMatch(/blocked\s+1/);
  await blocked.getByText('Command line').waitFor();
  const { task } = await site.project.cleo('add', 'Measure the speed', '--priority', 'high');
  await page.locator('[data-status=pending]').getByText('Measure the speed').waitFor({ timeout: 2000 });
  await site.project.cleo('update', task.id, '--title', 'Measure the memory');
  await page.getByText('Measure the memory').waitFor({ timeout: 2000 });
});

test('moves a card by dragging it, and explains a move that is not possible', async () => {
  const page = await site.open({ path: '/board' });
  await page.locator('[data-task=T008]').dragTo(page.locator('[data-status=active]'));
  await page.locator('[data-status=active] [data-task=T008]').waitFor();
  expect(await getStatus('T008')).toBe('active');
  await page.locator('[data-task=T009]').dragTo(page.locator('[data-status=pending]'));
  await page.getByText('T009: A done task can only be reopened').waitFor();
  expect(await getStatus('T009')).toBe('done');
  await page.locator('[data-task=T013]').dragTo(page.locator('[data-status=blocked]'));
  await page.getByLabel('Reason').fill('Numbers are not specified');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.locator('[data-status=blocked] [data-task=T013]').getByText('Numbers are not specified').waitFor();
});

test('shows the error of the server with its fix when a task cannot start', async () => {
  const page = await site.open({ path: '/board' });
  await page.locator('[data-task=T006]').dragTo(page.locator('[data-status=active]'));
  await page.locator('.notice.failed', { hasText: 'T005' }).locator('code').waitFor();
  expect(await getStatus('T006')).toBe('pending');
});

test('adds tasks one after another', async () => {
  const page = await site.open({ path: '/board?epic=T002' });
  await page.getByText('Print help').waitFor();
  await page.keyboard.press('c');
  await page.getByLabel('Title').fill('Complete words with the tab key');
  await page.getByLabel('Title').press('Enter');
  await page.locator('[data-status=pending]').getByText('Complete words with the tab key').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('');
  const { tasks } = await site.project.post('query/tasks/find', { query: 'Complete words' });
  expect(tasks[0].parentId).toBe('T002');
});

test('filters as a person types, with every filter in the address', async () => {
  const page = await site.open({ path: '/board' });
  await page.getByText('Write the lexer').waitFor();
  await page.getByLabel('Filter by text').fill('error');
  await page.getByText('Write the lexer').waitFor({ state: 'detached' });
  expect(await page.locator('.task-card').count()).toBe(2);
  await page.getByLabel('Filter by text').fill('');
  await page.getByLabel('Label').selectOption('core');
  await page.getByText('Report errors').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('label')).toBe('core');
  await page.reload();
  await page.getByText('Write the lexer').waitFor();
  expect(await page.locator('.task-card').count()).toBe(2);
  await page.getByLabel('Label').selectOption('');
  await page.getByLabel('Person').selectOption('grace');
  await page.getByText('Write the lexer').waitFor({ state: 'detached' });
  await page.getByText('Read arguments').waitFor();
});

test('changes several tasks at once', async () => {
  const page = await site.open({ path: '/board?text=error' });
  await page.locator('[data-task=T005]').hover();
  await page.getByLabel('Select T005').click();
  await page.locator('[data-task=T006]').hover();
  await page.getByLabel('Select T006').click();
  await page.getByText('2 tasks selected').waitFor();
  await page.getByRole('button', { name: 'Change the selected tasks' }).click();
  await page.getByRole('menuitem', { name: 'Priority: critical' }).click();
  await page.locator('[data-task=T006]').getByLabel('critical priority').waitFor();
  const { tasks } = await site.project.post('query/tasks/list', { priority: 'critical' });
  expect(tasks.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(['T005', 'T006']));
  await page.getByRole('button', { name: 'Change the selected tasks' }).click();
  await page.getByRole('menuitem', { name: 'Move into…' }).click();
  await page.getByLabel('Id of the epic, saga or task').fill('T002');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved 2 tasks into T002').waitFor();
  expect((await site.project.post('query/tasks/show', { taskId: 'T006' })).task.parentId).toBe('T002');
});

test('edits a title and assigns a task from its menu', async () => {
  const page = await site.open({ path: '/board?text=shells' });
  const openMenu = async (item: string): Promise<void> => {
    await page.locator('[data-task=T011]').hover();
    await page.getByRole('button', { name: 'Actions for T011' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await openMenu('Edit the title…');
  await page.getByLabel('Title').fill('Ask which shells people use');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[data-task=T011]').getByText('Ask which shells people use').waitFor();
  await openMenu('Assign…');
  await page.getByLabel('Agent or person').fill('linus');
  await page.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.locator('[data-task=T011]').getByText('linus').waitFor();
});

test('moves the cursor with the keyboard and opens a card', async () => {
  const page = await site.open({ path: '/board?group=none' });
  await page.getByText('Write the lexer').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('l');
  const id = await page.locator('.task-card.cursor').getAttribute('data-task');
  expect(await getStatus(id!)).toBe('active');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/task/${id}`));
});

test('shows one column at a time on a phone', async () => {
  const page = await site.open({ path: '/board', viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: /^blocked/ }).click();
  await page.getByText('Colour the output').waitFor();
  expect(await page.locator('[data-status=pending]').isVisible()).toBe(false);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
