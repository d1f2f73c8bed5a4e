import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPath, useSite } from './open-page.ts';
import { requireSuccess } from './sample-plan.ts';
import { addHostileRun } from './sample-runs.ts';
import type { ServedProject } from './served-project.ts';

const script = '<script>window.hacked=1</script><img src=x onerror="window.hacked=2"><svg onload="window.hacked=3">';
const links =
  '[a](javascript:window.hacked=4) <a href="javascript:window.hacked=5">b</a> ![c](http://192.0.2.1/x.png) [d](data:text/html,x)';
const bidi = '\u202eRIGHT\u202c \u2066isolate\u2069 عربي';
const long = 'x'.repeat(180);
const markdown = `${script}\n\n${links}\n\n${bidi}\n\n${'y'.repeat(6000)}\n\n| a | b |\n|-|-|\n| ${script} | ${'z'.repeat(900)} |`;

const site = useSite(fillHostileProject);

async function fillHostileProject(project: ServedProject): Promise<void> {
  const titles = [script.slice(0, 199), `${bidi} ${links}`.slice(0, 199), long];
  const add = (task: object) => project.post('mutate/tasks/add', task).then(requireSuccess);
  await add({
    title: titles[0],
    type: 'epic',
    description: markdown,
    labels: ['a'.repeat(50)],
    phase: '<b>phase</b>',
    assignee: '<i>eve</i>',
  });
  for (const title of titles)
    await add({
      title,
      parent: 'T001',
      description: markdown,
      acceptance: [script, bidi, 'c'.repeat(1000)],
      files: ['<img src=x>', 'f'.repeat(900)],
      notes: markdown.slice(0, 4000),
      assignee: script.slice(0, 90),
      labels: ['b'.repeat(50), 'c'.repeat(50), 'd'.repeat(50)],
    });
  await project.post('mutate/tasks/update', { taskId: 'T002', blockedBy: script + 'r'.repeat(800) }).then(requireSuccess);
  await project.post('mutate/tasks/relates.add', { from: 'T003', to: 'T004', type: 'related', reason: script }).then(requireSuccess);
  await project
    .post('mutate/memory/store', { type: 'decision', title: script.slice(0, 150), content: markdown, task: 'T003', tags: ['e'.repeat(50)] })
    .then(requireSuccess);
  await project
    .post('mutate/memory/store', { type: 'learning', title: long, content: `${script} D-001`, task: 'T003' })
    .then(requireSuccess);
  const doc = { slug: 's'.repeat(64), title: script.slice(0, 150) };
  await project.post('mutate/docs/add', { ...doc, taskId: 'T003', content: markdown }).then(requireSuccess);
  await addHostileSession(project);
  await project.post('mutate/docs/update', { ...doc, content: `${markdown}\n${script}\n${'w'.repeat(10_000)}` }).then(requireSuccess);
  addHostileRun(project, `${script} ${bidi} ${links} ${'v'.repeat(10_000)}`);
}

let session = '';

async function addHostileSession(project: ServedProject): Promise<void> {
  const run = (path: string, params: object) => project.post(path, params).then(requireSuccess);
  const started = await run('mutate/session/start', { scope: 'global', name: script.slice(0, 99), focus: 'T003', grade: true });
  session = started.session.id;
  await run('mutate/tasks/add', { title: `${script} 2`.slice(0, 199), parent: 'T001' });
  await run('mutate/session/end', { note: markdown.slice(0, 4000) });
  await run('query/admin/grade', { sessionId: session });
}

const listViews = () => [
  '/',
  '/board',
  '/board?group=assignee',
  '/tree?expand=all',
  '/graph',
  '/graph?task=T002',
  '/task/T001',
  '/task/T002',
  '/task/T003',
  '/log?entry=3',
  '/runs',
  '/runs/run-x?compare=run-x',
  '/memory',
  '/memory/D-001',
  '/memory/L-001',
  `/documents/${'s'.repeat(64)}`,
  `/documents/${'s'.repeat(64)}?compare=1`,
  '/sessions',
  `/sessions/${session}`,
  '/grades',
  `/grades/${session}`,
];

const widths = [1280, 390];

test('texts with script, SVG, Markdown and bidi are data, and the layout holds in both widths', async () => {
  const page = await site.open();
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(site.project.url)) foreign.push(request.url());
  });
  for (const path of listViews()) {
    await openPath(page, path);
    await page.locator('main').getByText('<script>').filter({ visible: true }).first().waitFor();
    if (path.startsWith('/task')) await page.getByText('Acceptance criteria').waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator('main').getByText('<script>').filter({ visible: true }).first().waitFor();
      expect(await measure(page), `${path} at ${width} px`).toEqual({ hacked: undefined, scripts: 0, width, main: 0 });
    }
  }
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('<script>');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
  expect(foreign).toEqual([]);
});

/** Reads what was executed, which elements texts created, and the width of the content. */
const measure = (page: Page) =>
  page.evaluate(() => ({
    hacked: (globalThis as { hacked?: number }).hacked,
    scripts: document.querySelectorAll('main script, main img[src=x], main iframe, main a[href^=javascript], main a[href^=data]').length,
    width: document.documentElement.scrollWidth,
    main: document.querySelector('main')!.scrollWidth - document.querySelector('main')!.clientWidth,
  }));
