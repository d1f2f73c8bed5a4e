import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';
import { addSampleSessions, type SampleSessions } from './sample-sessions.ts';

let ids: SampleSessions;
const site = useSite(async (project) => {
  await addSamplePlan(project);
  ids = await addSampleSessions(project);
});
const empty = useSite();

const getLane = (page: Page, agent: string) => page.locator('.lane').filter({ has: page.getByText(agent, { exact: true }) });
const getRow = (page: Page, id: string) => page.locator(`[data-session="${id}"]`);
const readStatus = async (id: string): Promise<string> => (await site.project.post('query/session/show', { sessionId: id })).session.status;
const countStoredGrades = (): number => {
  const path = join(site.project.root, '.cleo', 'metrics', 'GRADES.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
};
async function readDownload(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

test('the timeline has a lane for each agent, and explains a mark', async () => {
  const page = await site.open({ path: '/sessions' });
  await getLane(page, 'ada').getByRole('link', { name: /T003/ }).waitFor();
  await getLane(page, 'grace').getByRole('link', { name: 'Session Command line, active' }).waitFor();
  await getLane(page, 'linus')
    .getByRole('button', { name: /linus: .*handoff/ })
    .waitFor();
  await getLane(page, 'grace')
    .getByRole('button', { name: /grace: .*1 error/ })
    .click();
  const events = page.getByRole('list', { name: 'Chosen events' });
  await events.getByText('tasks.start: E_NOT_FOUND').waitFor();
  expect(await events.getByRole('link', { name: 'Log entry' }).first().getAttribute('href')).toMatch(/^\/log\?entry=\d+$/);
  // The chosen mark, the range and the filter are in the address.
  await page.getByRole('button', { name: '1 hour' }).click();
  await page.getByLabel('Filter by text').fill('grace');
  await getLane(page, 'linus').waitFor({ state: 'detached' });
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
    range: '1h',
    text: 'grace',
    event: expect.stringMatching(/^\d+$/),
  });
  await page.reload();
  await events.getByText('tasks.start: E_NOT_FOUND').waitFor();
  expect(await page.locator('.lane').count()).toBe(1);
});

test('sessions, claims and context windows are shown, and new ones appear', async () => {
  const page = await site.open({ path: '/sessions' });
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  await panel('Claims now').getByText('Tokens for numbers').waitFor();
  await panel('Context windows').getByRole('img', { name: 'Context window of grace: 86% used, caution' }).waitFor();
  await panel('Context windows').getByRole('img', { name: 'Context window of ada: 20% used, ok' }).waitFor();
  await panel('Sessions').getByRole('button', { name: 'ended', exact: true }).click();
  await getRow(page, ids.ada).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('status')).toBe('ended');
  await panel('Sessions').getByRole('button', { name: 'all' }).click();
  // An error of another process is a mark of its agent.
  await site.project.cleo('start', 'T098', '--agent', 'barbara');
  await getLane(page, 'barbara')
    .getByRole('button', { name: /1 error/ })
    .waitFor();
  await site.project.cleo('context', 'report', '--used', '190000', '--max', '200000', '--agent', 'grace', '--session', ids.grace);
  await panel('Context windows').getByRole('img', { name: 'Context window of grace: 95% used, emergency' }).waitFor();
  await page.keyboard.press('j');
  expect(await page.evaluate(() => document.activeElement?.closest('[data-nav]') !== null)).toBe(true);
});

test('a session shows its handoff and log, and is suspended, resumed and ended', async () => {
  const page = await site.open({ path: '/sessions' });
  await getRow(page, ids.linus).getByRole('link', { name: 'Survey of shells' }).click();
  const handoff = page.getByRole('region', { name: 'Handoff' });
  await handoff.locator('em', { hasText: 'again' }).waitFor();
  await handoff.getByText('ask for **bash** and zsh').waitFor();
  await page.getByRole('region', { name: 'Log' }).getByText('session.end').waitFor();
  await page.goBack();
  await getRow(page, ids.ada).getByRole('link', { name: 'Grammar' }).click();
  await page.getByRole('region', { name: 'Claims now' }).getByText('Tokens for numbers').waitFor();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.locator('.session-head').getByText('suspended').waitFor();
  expect(await readStatus(ids.ada)).toBe('suspended');
  await page.keyboard.press('r');
  await page.locator('.session-head').getByText('active').waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByLabel('Note for the next agent').fill('The lexer reads numbers');
  await page.getByRole('button', { name: 'End it' }).click();
  await handoff.getByText('The lexer reads numbers').waitFor();
  expect(await readStatus(ids.ada)).toBe('ended');
});

test('the session of another agent is ended by a person, and a page without the secret ends none', async () => {
  const page = await site.open({ path: `/sessions/${ids.grace}` });
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'A person decides this' });
  await dialog.getByText(`cleo session suspend --session ${ids.grace}`).first().waitFor();
  expect(await readStatus(ids.grace)).toBe('active');
  const reader = await site.open({ path: `/sessions/${ids.grace}`, isReadOnly: true });
  await reader.getByRole('heading', { name: 'Command line' }).waitFor();
  expect(await reader.getByRole('button', { name: 'End', exact: true }).isDisabled()).toBe(true);
  await reader.goto(`${site.project.url}/sessions/session-0`);
  await reader.getByRole('alert').getByText('session-0').first().waitFor();
});

test('grades show scores, trends by agent and scope, and are exported', async () => {
  const page = await site.open({ path: '/grades' });
  const row = getRow(page, ids.grace);
  await row.getByRole('img', { name: /Session discipline \d+ of 20, .*Disclosure use/ }).waitFor();
  const trend = page.getByRole('region', { name: 'Trend' });
  await trend.getByRole('img', { name: /^grace: \d+ percent/ }).waitFor();
  await trend.getByRole('button', { name: 'scope', exact: true }).click();
  await trend.getByRole('button', { name: 'epic:T002' }).click();
  await row.waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ by: 'scope', scope: 'epic:T002' });
  await page.getByRole('button', { name: /Export/ }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'CSV' }).click()]);
  expect(download.suggestedFilename()).toBe('grades.csv');
  const [head, first] = (await readDownload(download)).split('\r\n');
  expect(head).toMatch(/^session,agent,scope,task,score,max,letter,sessionDiscipline,/);
  expect(first).toMatch(new RegExp(`^${ids.grace},grace,epic:T002,T002,\\d+,100,[A-F],`));
});

test('a grade explains each lost point by its entries and the call that keeps it, and is stored on request only', async () => {
  const before = countStoredGrades();
  const page = await site.open({ path: '/grades' });
  await getRow(page, ids.grace).getByRole('link', { name: 'Command line' }).click();
  const lost = page.getByRole('region', { name: 'Lost points' });
  const loss = lost.locator('.loss').filter({ hasText: 'tasks.add without description' });
  await loss.getByText('−5').waitFor();
  expect(await loss.innerText()).toMatch(/#\d+ tasks\.add[\s\S]*cleo add 'Complete words in fish' --description/);
  // A call of the session changes the grade on the page.
  const entries = page.getByText(/points from \d+ entries/);
  const text = await entries.innerText();
  await site.project.cleo('show', 'T008', '--agent', 'grace', '--session', ids.grace);
  await page.waitForFunction((old) => !document.body.innerText.includes(old), text);
  expect(countStoredGrades()).toBe(before);
  await page.getByRole('button', { name: 'Grade', exact: true }).click();
  await page.getByText(/^Graded session-/).waitFor();
  expect(countStoredGrades()).toBe(before + 1);
  await page
    .getByRole('region', { name: 'Stored grades' })
    .getByText(/entries/)
    .nth(1)
    .waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  expect(JSON.parse(await readDownload(download))).toMatchObject({ grade: { sessionId: ids.grace }, explanation: expect.any(Array) });
  // The reads of this session are not recorded.
  await page.goto(`${site.project.url}/grades/${ids.linus}`);
  await page.getByText('was not started in grade mode').waitFor();
  await page.getByRole('button', { name: 'Store a partial grade' }).click();
  await page.getByText(/^Graded session-/).waitFor();
  expect(countStoredGrades()).toBe(before + 2);
});

test('a page without the secret stores no grade', async () => {
  const before = countStoredGrades();
  const page = await site.open({ path: `/grades/${ids.grace}`, isReadOnly: true });
  await page.getByRole('region', { name: 'Lost points' }).waitFor();
  expect(await page.getByRole('button', { name: 'Grade', exact: true }).isDisabled()).toBe(true);
  const answer = await page.evaluate(async (sessionId) => {
    const response = await fetch('/api/query/admin/grade', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sessionId }),
    });
    return response.json();
  }, ids.grace);
  expect(answer).toMatchObject({ success: true, grade: { sessionId: ids.grace } });
  expect(countStoredGrades()).toBe(before);
});

test('an empty project says how to begin', async () => {
  const page = await empty.open({ path: '/sessions' });
  await page.getByText('No sessions yet').waitFor();
  expect(await page.locator('main').innerText()).toContain('cleo session start --scope global');
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.getByText('No grades yet').waitFor();
  expect(await page.locator('main').innerText()).toContain('cleo grade');
});
