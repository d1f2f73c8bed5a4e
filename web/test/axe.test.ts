import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { countCalls, openPath, useSite } from './open-page.ts';
import { addSamplePlan, requireSuccess } from './sample-plan.ts';
import { addSampleRecords } from './sample-records.ts';
import { addSampleRuns, addSampleWork } from './sample-runs.ts';
import { addSampleSessions, type SampleSessions } from './sample-sessions.ts';

let ids: SampleSessions;
const site = useSite(async (project) => {
  await addSamplePlan(project);
  await addSampleRecords(project);
  await project.post('mutate/release/create', { version: 'v1.0.0' }).then(requireSuccess);
  ids = await addSampleSessions(project);
  await addSampleRuns(project);
  addSampleWork(project);
});
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every view, with a text that shows that it is complete. */
const listViews = (): [path: string, text: string][] => [
  ['/', 'Waits for a person'],
  ['/board', 'Write the lexer'],
  ['/tree', 'Write the lexer'],
  ['/graph', 'Write the lexer'],
  ['/graph?task=T005&done=shown', 'Waiting for it'],
  ['/task/T001', 'Lifecycle'],
  ['/task/T003', 'Acceptance criteria'],
  ['/task/T005', 'marks the column'],
  ['/memory', 'Notes on the grammar'],
  ['/memory/D-002', 'Cited by'],
  ['/documents/grammar-notes', 'Statements end'],
  ['/documents/grammar-notes?compare=1', 'unchanged lines'],
  ['/runs', 'a person is to judge it'],
  ['/runs/run-b?compare=run-a', 'Verdict:'],
  ['/log', 'is intact'],
  ['/log?entry=3', 'Parameters'],
  ['/log?show=releases', '2 tasks'],
  ['/log?show=releases&release=v1.0.0', 'Choose the exit codes'],
  ['/sessions', 'Survey of shells'],
  [`/sessions/${ids.linus}`, 'Two answers are missing'],
  [`/sessions/${ids.grace}`, 'tasks.complete'],
  ['/grades', 'Trend'],
  [`/grades/${ids.grace}`, 'Lost points'],
  [`/grades/${ids.linus}`, 'not recorded'],
  ['/task/T999', 'There is no task T999'],
  ['/runs/none', 'there is no run'],
  ['/nowhere', 'There is no such page'],
];

test('axe finds no violation in any view in either theme', async () => {
  const page = await site.open();
  // The policy of the page forbids a script element; the debugger may evaluate.
  await page.evaluate(axe);
  for (const [path, text] of listViews()) {
    await openPath(page, path);
    await page.getByText(text).first().waitFor();
    await checkThemes(page, path);
  }
  await page.keyboard.press('?');
  await checkThemes(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('lexer');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await checkThemes(page, 'search');
  await page.keyboard.press('Escape');
  await openPath(page, '/runs/run-b');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByRole('dialog').getByText('Run this at a terminal').waitFor();
  await checkThemes(page, 'a command to run');
  await page.keyboard.press('Escape');
  await openPath(page, '/board');
  // A view takes keys when it is shown.
  await page.locator('[data-task]').first().waitFor();
  await page.keyboard.press('c');
  await page.getByLabel('Title').waitFor();
  await checkThemes(page, 'add a task');
});

test('every control of every view is reached with Tab, in view and with a visible focus', async () => {
  const page = await site.open();
  const waitForAnswers = countCalls(page);
  for (const [path, text] of listViews()) {
    await openPath(page, path);
    await page.getByText(text).first().waitFor();
    await waitForAnswers();
    const { expected, reached, unmarked } = await tabThrough(page);
    expect.soft({ path, missed: expected.filter((each) => !reached.includes(each)), unmarked }).toEqual({ path, missed: [], unmarked: [] });
  }
});

/** Presses Tab until the focus leaves the open dialog or the view. Returns the controls that it should and did reach, and those without a
 *  visible mark or outside of the window. */
async function tabThrough(page: Page): Promise<{ expected: string[]; reached: string[]; unmarked: string[] }> {
  const count = await page.evaluate(() => {
    const scope = document.querySelector<HTMLElement>('dialog[open]') ?? document.getElementById('main')!;
    const controls = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
      (each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility(),
    );
    const describe = (each: Element): string => `${controls.indexOf(each as HTMLElement)} ${each.outerHTML.slice(0, 120)}`;
    const state = { expected: controls.map(describe), reached: [] as string[], unmarked: [] as string[] };
    const isMarked = (each: Element | null): boolean =>
      each !== null && (getComputedStyle(each).outlineStyle !== 'none' || isMarked(each.parentElement));
    scope.focus();
    scope.addEventListener('focusin', ({ target }) => {
      const element = target as Element;
      const { top, bottom, width } = element.getBoundingClientRect();
      state.reached.push(describe(element));
      if (!isMarked(element) || width === 0 || bottom < 0 || top > innerHeight) state.unmarked.push(describe(element));
    });
    Object.assign(globalThis, { focusState: state });
    return controls.length;
  });
  // A date has several fields.
  for (let i = 0; i < count + 6; i++) await page.keyboard.press('Tab');
  return page.evaluate(() => (globalThis as unknown as { focusState: Awaited<ReturnType<typeof tabThrough>> }).focusState);
}

/** Checks all rules in the light theme. The dark one differs by its colours only. */
async function checkThemes(page: Page, name: string): Promise<void> {
  expect(await findViolations(page), name).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await findViolations(page, ['color-contrast']), `${name}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

function findViolations(page: Page, runOnly?: string[]): Promise<string[]> {
  return page.evaluate(
    async (options) => {
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
      );
    },
    { resultTypes: ['violations'], ...(runOnly ? { runOnly } : {}) },
  );
}
