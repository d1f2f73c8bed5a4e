import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { tamperSqlite } from '../../test/app.ts';
import { hostileLine, hostileMarkdown, plantHostileTexts, script } from './hostile-texts.ts';
import { countCalls, openPath, useSite } from './open-page.ts';
import { addSamplePlan, requireSuccess } from './sample-plan.ts';
import { addSampleRecords } from './sample-records.ts';
import { addHostileRun } from './sample-runs.ts';
import { addSampleSessions, type SampleSessions } from './sample-sessions.ts';
import type { ServedProject } from './served-project.ts';

let ids: SampleSessions;
let emptyTables: string[] = [];

const site = useSite(async (project) => {
  await addSamplePlan(project);
  await addSampleRecords(project);
  await addFurtherRecords(project);
  ids = await addSampleSessions(project);
  addHostileRun(project, hostileLine);
  emptyTables = await plantHostileTexts(project);
});

/** Adds at least one row to every table that a view reads. */
async function addFurtherRecords(project: ServedProject): Promise<void> {
  const run = (path: string, params: object) => project.post(path, params).then(requireSuccess);
  await run('mutate/tasks/add', {
    title: 'Everything',
    parent: 'T001',
    phase: 'core',
    description: 'x',
    files: ['a.ts'],
    requires: ['linux'],
    labels: ['a'],
    assignee: 'grace',
    acceptEvidence: ['implemented'],
    acceptance: ['works'],
  });
  await run('mutate/tasks/relates.add', { from: 'T014', to: 'T004', type: 'related', reason: 'Both parse' });
  await run('mutate/tasks/criteria.check', { taskId: 'T014', n: 1 });
  await run('mutate/lifecycle/skip', { epicId: 'T001', stage: 'research', through: 'decomposition', reason: 'Known' });
  await run('mutate/release/create', { version: 'v1.0.0', epic: 'T002' });
  await run('mutate/research/add', {
    id: 'T014-shells',
    file: 'a.md',
    title: script,
    status: 'partial',
    needsFollowup: [script],
    linkedTasks: ['T014'],
  });
  await run('mutate/docs/update', { slug: 'grammar-notes', content: `${hostileMarkdown}\n${hostileLine}\n` });
  const now = '2026-01-01T00:00:00.000Z';
  const evidence = (kind: string) => `'[{"kind":"${kind}","text":"x","problem":"x"}]'`;
  await tamperSqlite(
    project.root,
    `insert into task_gates (task_id, gate, round, passed, evidence, agent_id, at) values
       ('T014', 'implemented', 1, 1, ${evidence('note')}, 'ada', '${now}'), ('T014', 'testsPassed', 1, 0, ${evidence('failed')}, 'ada', '${now}');
     insert or replace into task_verifications (task_id, round, failed, verdict, verdict_by, verdict_at, verdict_reason)
       values ('T014', 2, 1, 'rejected', 'linus', '${now}', 'x');
     insert into nexus_depends values ('T014', 'web', 'T003', 'x', 'pending', '${now}');
     insert into spawns (task_id, agent_id, role, skill, protocol, tier, prompt_hash, has_protocol, spawned_by, at)
       values ('T004', 'eve', 'worker', 'x', 'x', 1, '0', 0, 'ada', '${now}');
     insert into task_aliases (tool, alias, task_id) values ('jira', 'A-1', 'T014');
     update releases set status = 'shipping', tag = 'x', steps = '[{"step":"tag","state":"done","at":"${now}","what":"x"}]',
       provenance = '{"commit":"0123456789","tree":"0","tasks":["T009"],"artifacts":[{"name":"x","sha256":"0"}]}';
     update memories set decided_reason = 'x', decided_by = 'x' where decided_at is not null;
     update tasks set blocked_by = 'x', status = 'blocked' where id = 'T010';`,
  );
}

const listViews = () => [
  '/',
  '/board',
  '/board?group=assignee',
  '/tree?expand=all',
  '/graph',
  '/graph?task=T014',
  '/task/T001',
  '/task/T003',
  '/task/T010',
  '/task/T014',
  '/log',
  '/log?entry=3',
  '/log?show=releases',
  '/log?show=releases&release=v1.0.0',
  '/runs',
  '/runs/run-x?compare=run-x',
  '/memory',
  '/memory/D-001',
  '/memory/L-001',
  '/memory/P-001',
  '/documents/grammar-notes',
  '/documents/grammar-notes?compare=1',
  '/sessions',
  `/sessions/${ids.grace}`,
  `/sessions/${ids.linus}`,
  '/grades',
  `/grades/${ids.grace}`,
];

const widths = [1280, 360];

test('every table that a view reads has a hostile text', () => {
  expect(emptyTables).toEqual([]);
});

test('texts with script, SVG, Markdown and bidi are data, and the layout holds in both widths', async () => {
  const page = await site.open();
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(site.project.url)) foreign.push(request.url());
  });
  const waitForAnswers = countCalls(page);
  for (const path of listViews()) {
    await openPath(page, path);
    await waitForAnswers();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const text = page.locator('main').getByText('<script>').filter({ visible: true }).first();
      await expect.poll(() => text.count(), { message: `a text of ${path} at ${width} px`, timeout: 15_000 }).toBe(1);
      expect.soft(await measure(page), `${path} at ${width} px`).toEqual({ hacked: undefined, elements: 0, width, main: 0, dialog: 0 });
    }
  }
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('<script>');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  expect(await measure(page)).toMatchObject({ hacked: undefined, elements: 0, dialog: 0 });
  expect(foreign).toEqual([]);
});

/** Reads what was executed, which elements texts created, and the width of the content. */
const measure = (page: Page) =>
  page.evaluate(() => {
    const forbidden = [
      'script',
      'img[src=x]',
      'img[src^=http]',
      'iframe',
      'svg[onload]',
      '[onerror]',
      'a[href^=javascript]',
      'a[href^=data]',
    ];
    const getOverflow = (selector: string): number => {
      const element = document.querySelector(selector);
      return element ? element.scrollWidth - element.clientWidth : 0;
    };
    return {
      hacked: (globalThis as { hacked?: number }).hacked,
      elements: document.querySelectorAll(forbidden.map((each) => `body ${each}`).join()).length,
      width: document.documentElement.scrollWidth,
      main: getOverflow('main'),
      dialog: getOverflow('dialog[open]'),
    };
  });
