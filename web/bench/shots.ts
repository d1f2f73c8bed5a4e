import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { connectBrowser } from '../test/connect-browser.ts';
import { addManyTasks, addSamplePlan, manyTasksConfig, requireSuccess } from '../test/sample-plan.ts';
import { addSampleRecords } from '../test/sample-records.ts';
import { addSampleRelease } from '../test/sample-release.ts';
import { addSampleRuns, addSampleWork } from '../test/sample-runs.ts';
import { addSampleSessions } from '../test/sample-sessions.ts';
import { type ServedProject, serveProject } from '../test/served-project.ts';

/** Writes pictures of every view in both themes, wide and narrow, into `web/shots`. `CLEO_SHOTS=small` takes one kind of project only. */
const folder = resolve(import.meta.dirname, '../shots');
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
const recordViews = {
  memory: '/memory',
  entry: '/memory/D-002',
  document: '/documents/grammar-notes',
  diff: '/documents/grammar-notes?compare=1',
  runs: '/runs',
  run: '/runs/run-b?compare=run-a',
  log: '/log',
  logEntry: '/log?entry=5',
  releases: '/log?show=releases',
  release: '/log?show=releases&release=v1.0.0',
};
const graphViews = { graph: '/graph', chain: '/graph?task=T005&done=shown' };
const peopleViews = { sessions: '/sessions', grades: '/grades' };
const views = {
  now: '/',
  board: '/board',
  tree: '/tree',
  ...graphViews,
  task: '/task/T003',
  epic: '/task/T001',
  ...recordViews,
  ...peopleViews,
};
/** Views of a record whose id is not known before. */
let sessionViews: Record<string, string> = {};
const plans: Record<string, (project: ServedProject) => Promise<void>> = {
  empty: async () => {},
  async small(project) {
    await addSamplePlan(project);
    await addSampleRecords(project);
    await addSampleRelease(project);
    const { grace } = await addSampleSessions(project);
    await startTask(project, 'grace', 'T007');
    await startTask(project, 'linus', 'T011');
    sessionViews = { session: `/sessions/${grace}`, grade: `/grades/${grace}` };
    await addSampleRuns(project);
    addSampleWork(project);
  },
  large: (project) => addManyTasks(project, 10_000),
};
/** Lets an agent begin a task, so that several are at work in the pictures. */
async function startTask(project: ServedProject, agent: string, taskId: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'cleo-agent': agent };
  const answer = await fetch(`${project.url}/api/mutate/tasks/start`, { method: 'POST', headers, body: JSON.stringify({ taskId }) });
  requireSuccess(await answer.json());
}

/** Pictures of the README. */
const published: Record<string, string> = { 'board-small-light-wide': 'web-board.png', 'now-small-dark-wide': 'web-now.png' };
const images = resolve(import.meta.dirname, '../../docs/images');
const chosen = Object.entries(plans).filter(([name]) => !process.env.CLEO_SHOTS || process.env.CLEO_SHOTS === name);

for (const each of [folder, images]) mkdirSync(each, { recursive: true });

for (const [plan, fill] of chosen) {
  let project: ServedProject;
  beforeAll(async () => {
    project = await serveProject({ config: plan === 'large' ? manyTasksConfig : {} });
    await fill(project);
  });
  afterAll(() => project?.close());

  test(`${plan}: every view in both themes and sizes`, async () => {
    const browser = await connectBrowser();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [size, viewport] of Object.entries(sizes)) {
        const context = await browser.newContext({ viewport, colorScheme });
        const page = await context.newPage();
        await page.goto(project.page);
        for (const [view, path] of Object.entries({ ...views, ...(plan === 'small' ? sessionViews : {}) })) {
          await page.goto(project.url + path);
          await page.waitForLoadState('load');
          await page.waitForFunction(() => !document.querySelector('.loading-lines'), undefined, { timeout: 30_000 });
          await page.waitForTimeout(500);
          const name = `${view}-${plan}-${colorScheme}-${size}`;
          await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
          if (published[name]) copyFileSync(join(folder, `${name}.png`), join(images, published[name]));
        }
        await context.close();
      }
  });
}
