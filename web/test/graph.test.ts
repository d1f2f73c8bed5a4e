import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type GraphLayout, layoutGraph, nodeSize } from '../src/views/graph/layout.ts';
import { fitGraph } from '../src/views/graph/viewport.ts';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';
import type { Answer } from './served-project.ts';

const site = useSite(addSamplePlan);
const emptySite = useSite();

const listRows = (page: Page): Promise<string[]> =>
  page
    .locator('.graph-list .graph-task')
    .allInnerTexts()
    .then((rows) => rows.map((row) => /T\d+/.exec(row)![0]));
const panel = (page: Page) => page.getByRole('complementary', { name: 'Tasks of the graph' });
const getFrameWidth = (page: Page): Promise<number> =>
  page.locator('.graph-minimap-view').evaluate((frame) => (frame as HTMLElement).offsetWidth);
const getDepends = async (id: string): Promise<string[]> => (await site.project.cleo('show', id)).task.depends ?? [];

/** Computes where the first picture shows the middle of a task, from the answer of the server. */
async function findTask(page: Page, id: string): Promise<{ x: number; y: number }> {
  const { nodes, edges }: Answer = await site.project.post('query/orchestrate/graph');
  const layout: GraphLayout = layoutGraph({
    nodes: nodes.map(({ status, type, ...node }: Answer) => ({ ...node, isDone: status === 'done', isContainer: type === 'epic' })),
    edges,
  });
  const box = (await page.locator('.graph-canvas').boundingBox())!;
  const view = fitGraph(layout, box, 0.5);
  const node = layout.nodes.find((each) => each.id === id)!;
  return {
    x: box.x + view.left + (node.x + nodeSize.width / 2) * view.scale,
    y: box.y + view.top + (node.y + nodeSize.height / 2) * view.scale,
  };
}

test('shows waves, chains, the critical path and tasks without dependencies', async () => {
  const page = await site.open({ path: '/graph' });
  await page.getByText('Write the lexer').waitFor();
  const rows = await listRows(page);
  expect(rows.slice(0, 5).sort()).toEqual(['T003', 'T004', 'T005', 'T006', 'T013']);
  expect(rows.indexOf('T003')).toBeLessThan(rows.indexOf('T005'));
  expect(rows.indexOf('T005')).toBeLessThan(rows.indexOf('T006'));
  await page.getByText('3 dependencies · 1 task blocked · critical path: 3').waitFor();

  await page.getByLabel('Highlight').selectOption('critical');
  await expect.poll(() => listRows(page)).toEqual(['T003', 'T013', 'T005', 'T006']);
  await page.getByLabel('Highlight').selectOption('blocked');
  await expect.poll(() => listRows(page)).toEqual(['T010']);
  await page.getByLabel('Highlight').selectOption('orphans');
  await expect.poll(async () => (await listRows(page)).sort()).toEqual(['T007', 'T008', 'T010', 'T011']);
  expect(new URL(page.url()).searchParams.get('show')).toBe('orphans');

  await page.getByLabel('Highlight').selectOption('');
  await page.getByLabel('Done tasks').check();
  await expect.poll(() => listRows(page)).toContain('T009');
  await page.getByLabel('Find a task').fill('column');
  await expect.poll(() => listRows(page)).toEqual(['T005']);
  await page.keyboard.press('Enter');
  await panel(page).getByRole('heading', { name: 'Report errors with line and column' }).waitFor();
  await page.getByRole('button', { name: 'Only its chain' }).click();
  await page.getByText('1 found').waitFor();
  await page.getByLabel('Find a task').fill('');
  await page.getByText('2 dependencies').waitFor();
  await page.reload();
  await panel(page)
    .getByRole('button', { name: /Recover after/ })
    .waitFor();
});

test('mouse, touch and keys select, move, zoom and open', async () => {
  const context = await site.openContext();
  const page = await site.open({ path: '/graph', context });
  await page.getByText('Write the lexer').waitFor();
  const place = await findTask(page, 'T005');
  await page.mouse.click(place.x, place.y);
  await panel(page).getByRole('heading', { name: 'Report errors with line and column' }).waitFor();
  expect(new URL(page.url()).searchParams.get('task')).toBe('T005');
  // The picture moves with the pointer: the same task is found at its new place.
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x + 40, place.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.press('Escape');
  await panel(page).getByLabel('Legend').waitFor();
  await page.mouse.click(place.x + 40, place.y + 90);
  await panel(page).getByRole('heading', { name: 'Report errors with line and column' }).waitFor();

  await page.locator('.graph-canvas').focus();
  await page.keyboard.press('ArrowLeft');
  await panel(page).getByRole('heading', { name: 'Write the lexer' }).waitFor();
  expect(await page.locator('.graph-announcement').innerText()).toBe(
    'T003 Write the lexer, active, depends on nothing, T004, T005 wait for it',
  );
  await page.keyboard.press('Escape');

  const widths = [await getFrameWidth(page)];
  const measure = async (): Promise<void> => {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    widths.push(await getFrameWidth(page));
  };
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await measure();
  await page.mouse.move(place.x, place.y);
  await page.mouse.wheel(0, -400);
  await measure();
  const touch = await context.newCDPSession(page);
  const pinch = (type: 'touchStart' | 'touchMove', distance: number) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [place.x - distance, place.x + distance].map((x, id) => ({ x, y: place.y, id })),
    });
  await pinch('touchStart', 120);
  await pinch('touchMove', 60);
  await pinch('touchMove', 40);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await measure();
  expect(widths[1]).toBeLessThan(widths[0]!);
  expect(widths[2]).toBeLessThan(widths[1]!);
  expect(widths[3]).toBeGreaterThan(widths[2]!);
  await page.keyboard.press('0');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/task\/T\d+/);
});

test('changes the state and the dependencies, and explains a cycle', async () => {
  const page = await site.open({ path: '/graph?task=T005' });
  const add = async (label: string, id: string): Promise<void> => {
    await panel(page).getByLabel(label, { exact: true }).fill(id);
    await page.keyboard.press('Enter');
  };
  await panel(page).getByRole('button', { name: 'Remove the dependency on T003' }).waitFor();
  await add('New dependency', 'T006');
  const notice = page.locator('.notice', { hasText: /cycle|circular/i }).first();
  await notice.waitFor();
  expect(await notice.innerText()).toMatch(/T005[\s\S]*T006|T006[\s\S]*T005/);
  expect(await getDepends('T005')).toEqual(['T003']);

  await add('New dependency', 'T013');
  await panel(page).getByRole('button', { name: 'Remove the dependency on T013' }).waitFor();
  await add('New waiting task', 'T008');
  await panel(page).getByRole('button', { name: 'Let T008 no longer wait for T005' }).waitFor();
  expect(await getDepends('T005')).toEqual(['T003', 'T013']);
  expect(await getDepends('T008')).toEqual(['T005']);
  await panel(page).getByRole('button', { name: 'Remove the dependency on T013' }).click();
  await panel(page).getByRole('button', { name: 'Let T008 no longer wait for T005' }).click();
  await panel(page).getByRole('button', { name: 'Let T008 no longer wait for T005' }).waitFor({ state: 'detached' });
  await expect.poll(() => getDepends('T005')).toEqual(['T003']);

  await panel(page).getByRole('button', { name: 'Status of T005: pending' }).click();
  await page.getByRole('menuitemradio', { name: 'blocked' }).click();
  await page.getByLabel('Reason').fill('Waits for the grammar');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await panel(page).getByRole('button', { name: 'Status of T005: blocked' }).waitFor();
  await page.getByRole('button', { name: 'Show the list of tasks' }).click();
  await page.getByLabel('Highlight').selectOption('blocked');
  // T006 waits for it.
  await expect.poll(async () => (await listRows(page)).sort()).toEqual(['T005', 'T006', 'T010']);
});

test('follows changes of the command line; without the secret it only reads', async () => {
  const page = await site.open({ path: '/graph?task=T011', isReadOnly: true });
  await panel(page).getByRole('heading', { name: 'Ask the users which shells they use' }).waitFor();
  expect(await panel(page).getByLabel('New dependency').count()).toBe(0);
  expect(
    await panel(page)
      .getByRole('button', { name: /Status of/ })
      .count(),
  ).toBe(0);
  await site.project.cleo('update', 'T011', '--add-depends', 'T008', '--title', 'Ask which shells people use');
  await panel(page).getByRole('heading', { name: 'Ask which shells people use' }).waitFor();
  await panel(page).getByRole('button', { name: /T008/ }).waitFor();
});

test('says what to do without tasks, and which epic does not exist', async () => {
  const page = await emptySite.open({ path: '/graph' });
  await page.getByText('No open tasks').waitFor();
  expect(await page.locator('main').innerText()).toContain('cleo add "Parse expressions" --depends T001');
  await page.goto(`${emptySite.project.url}/graph?epic=T099`);
  await page.getByRole('alert').getByText(/T099/).waitFor();
  await page.getByRole('button', { name: 'Show all tasks' }).click();
  await page.getByText('No open tasks').waitFor();
});
