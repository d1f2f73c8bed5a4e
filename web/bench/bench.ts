import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectBrowser } from '../test/connect-browser.ts';
import { addManyDependencies, addManyTasks, manyTasksConfig, requireSuccess } from '../test/sample-plan.ts';
import { type ServedProject, serveProject } from '../test/served-project.ts';

/** Measures the figures of the page with 10,000 tasks, prints one line each, and fails above the limits of spec 9.3. They hold for a
 *  machine that does nothing else. */
let project: ServedProject;

beforeAll(async () => {
  project = await serveProject({ config: manyTasksConfig });
  await addManyTasks(project, 10_000);
  expect((await project.post('query/admin/dash')).summary.tasks).toBe(10_000);
});
afterAll(() => project?.close());

const computeMedian = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Prints a figure. One above its limit fails the test when all figures are printed. */
function check(name: string, value: number, limit: number, unit = 'ms'): void {
  console.log(`${name.padEnd(50)} ${String(Math.round(value)).padStart(6)} ${unit.padEnd(8)} limit ${limit}`);
  expect.soft(value, name).toBeLessThanOrEqual(limit);
}

async function openPage(path: string): Promise<Page> {
  const page = await (await (await connectBrowser()).newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(project.page);
  await page.goto(project.url + path);
  return page;
}

test.each([
  ['/board', '.task-card'],
  ['/tree', '.tree-row'],
  ['/', '.panel'],
])('first content of %s with 10,000 tasks', async (path, selector) => {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const page = await openPage('/task/T001');
    await page.getByText('History').waitFor();
    await page.goto(project.url + path);
    // The page itself notes the time: a message to the test would be counted otherwise.
    times.push(
      await page.evaluate(async (wanted) => {
        while (!document.querySelector(wanted)) await new Promise(requestAnimationFrame);
        return performance.now();
      }, selector),
    );
    await page.context().close();
  }
  check(`first content of ${path} (median)`, computeMedian(times), 1500);
});

test('scrolling shows no blank rows', async () => {
  const page = await openPage('/board?group=none');
  await page.locator('.task-card').first().waitFor();
  const blank = await page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>('[data-status=pending] .virtual-list')!;
    let empty = 0;
    for (let i = 0; i < 120; i++) {
      list.scrollTop += 400;
      await new Promise(requestAnimationFrame);
      const { left, top, height } = list.getBoundingClientRect();
      for (const part of [0.1, 0.5, 0.9]) if (!document.elementFromPoint(left + 60, top + height * part)?.closest('.virtual-row')) empty++;
    }
    return empty;
  });
  check('blank places in 120 scroll steps of 400 px', blank, 0, 'places');
  await page.context().close();
});

test('search answers each key stroke', async () => {
  const page = await openPage('/board');
  await page.locator('.task-card').first().waitFor();
  await page.keyboard.press('/');
  const times: number[] = [];
  for (const key of 'module 42 of part 77')
    times.push(
      await page.evaluate(async (text) => {
        const input = document.querySelector<HTMLInputElement>('.search-field input')!;
        const start = performance.now();
        input.value += text;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve));
        return performance.now() - start;
      }, key),
    );
  await page
    .getByRole('option', { name: /module 42 of part 77/ })
    .first()
    .waitFor();
  check('search, one key stroke (median)', computeMedian(times), 100);
  await page.context().close();
});

test('a change of the command line is on the page', async () => {
  const page = await openPage('/board?group=none&text=fresh');
  await page.getByText('No task matches').waitFor();
  const times: number[] = [];
  // As many cards as the window of the column draws.
  for (let i = 0; i < 15; i++) {
    const seen = page
      .getByText(`fresh ${i} end`)
      .first()
      .waitFor()
      .then(() => performance.now());
    requireSuccess(await project.cleo('add', `fresh ${i} end`, '--priority', 'critical'));
    const writtenAt = performance.now();
    times.push(Math.max(0, (await seen) - writtenAt));
  }
  check('change of the CLI until it is shown (median)', computeMedian(times), 300);
  check('change of the CLI until it is shown (slowest)', Math.max(...times), 1000);
  await page.context().close();
});

test('1,000 changes in 10 s lose none and keep the page responsive', async () => {
  const page = await openPage('/board?group=none');
  await page.locator('.task-card').first().waitFor();
  await page.evaluate(() => {
    const state = globalThis as unknown as { longest: number };
    state.longest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) state.longest = Math.max(state.longest, entry.duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  const startedAt = performance.now();
  const running = new Set<Promise<unknown>>();
  for (let i = 0; i < 1000; i++) {
    // The first task of a hundred is an epic, which is not a card.
    const taskId = `T${String(2 + i + Math.floor(i / 99)).padStart(3, '0')}`;
    const call = project.post('mutate/tasks/update', { taskId, title: `changed ${i} end` }).then(requireSuccess);
    running.add(call);
    void call.finally(() => running.delete(call));
    if (running.size >= 8) await Promise.race(running);
    const dueMs = (i + 1) * 9.5 - (performance.now() - startedAt);
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
  }
  await Promise.all(running);
  check('1,000 single changes took', performance.now() - startedAt, 10_000);
  await page.getByLabel('Filter by text').fill('changed');
  const countCards = async (): Promise<number> =>
    (await page.locator('.column-head .count').allInnerTexts()).reduce((sum, count) => sum + Number(count), 0);
  await expect.poll(countCards, { timeout: 20_000 }).toBe(1000);
  check('changes of 1,000 that were lost', 1000 - (await countCards()), 0, 'changes');
  check('longest task of the page', await page.evaluate(() => (globalThis as unknown as { longest: number }).longest), 200);
  await page.context().close();
});

test('graph of 1,000 tasks and 3,000 dependencies', async () => {
  const graph = await serveProject({ config: manyTasksConfig });
  try {
    await addManyDependencies(graph);
    const { nodes, edges } = await graph.post('query/orchestrate/graph');
    console.log(`graph of ${nodes.length} tasks and ${edges.length} dependencies`);
    const page = await (await (await connectBrowser()).newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    const [layouts, drawn]: number[][] = [[], []];
    for (let i = 0; i < 5; i++) {
      await page.goto(`${graph.url}/graph`);
      await page.waitForFunction(() => performance.getEntriesByName('graph-drawn').length > 0);
      const find = (name: string) => page.evaluate((key) => performance.getEntriesByName(key)[0]!.toJSON(), name);
      layouts!.push((await find('graph-layout')).duration);
      drawn!.push((await find('graph-drawn')).startTime);
    }
    check('graph: layout in the worker (median)', computeMedian(layouts!), 1500);
    check('graph: drawn after navigation (median)', computeMedian(drawn!), 1500);
    await page.locator('.graph-canvas').focus();
    for (const [name, key] of [
      ['near', ''],
      ['far', '0'],
    ]) {
      if (key) await page.keyboard.press(key);
      const times = await measurePanSteps(page);
      check(`graph: pan step ${name}, main thread (median)`, computeMedian(times.mainThread), 33);
      check(`graph: pan step ${name}, whole browser (mean)`, times.browser, 33);
    }
    await page.context().close();
  } finally {
    await graph.close();
  }
});

/** Moves the graph in 60 steps and returns the processor time of each: of the main thread (script, style, layout, paint), and of all
 *  processes of the browser, which adds raster, compositing, and the messages of this test. Processor time does not depend on other programs
 *  of the machine; the time between two frames says how busy it is. */
async function measurePanSteps(page: Page): Promise<{ mainThread: number[]; browser: number }> {
  const session = await page.context().newCDPSession(page);
  const browser = await (await connectBrowser()).newBrowserCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const readTaskMs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
  };
  const readBrowserMs = async (): Promise<number> => {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
  };
  const steps = 60;
  const mainThread: number[] = [];
  const startMs = await readBrowserMs();
  for (let i = 0; i < steps; i++) {
    const beforeMs = await readTaskMs();
    await page.evaluate(
      async (deltaX) => {
        const canvas = document.querySelector('.graph-canvas')!;
        canvas.dispatchEvent(new WheelEvent('wheel', { deltaX, deltaY: 7, shiftKey: true, cancelable: true }));
        // The step is drawn in the first frame and painted before the second one.
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      },
      i % 20 < 10 ? 13 : -13,
    );
    mainThread.push((await readTaskMs()) - beforeMs);
  }
  const spentMs = (await readBrowserMs()) - startMs;
  await session.detach();
  await browser.detach();
  return { mainThread, browser: spentMs / steps };
}
