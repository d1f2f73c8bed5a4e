import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';

const site = useSite(addSamplePlan);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every view, with a text that shows that it is complete. */
const views: [path: string, text: string][] = [
  ['/', 'Waits for a person'],
  ['/board', 'Write the lexer'],
  ['/tree', 'Write the lexer'],
  ['/task/T003', 'Acceptance criteria'],
  ['/task/T005', 'marks the column'],
];

test.each(['light', 'dark'] as const)('axe finds no violation in any view in the %s theme', async (colorScheme) => {
  const page = await site.open({ colorScheme });
  for (const [path, text] of views) {
    await page.goto(site.project.url + path);
    await page.getByText(text).first().waitFor();
    expect(await findViolations(page), path).toEqual([]);
  }
  await page.keyboard.press('?');
  expect(await findViolations(page), 'shortcuts').toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('lexer');
  expect(await findViolations(page), 'search').toEqual([]);
});

async function findViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids a script element; the debugger may evaluate.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
      }
    ).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
    );
  });
}
