import { expect, onTestFinished, test } from 'vitest';
import { tamperSqlite } from '../../test/app.ts';
import { connectBrowser } from './connect-browser.ts';
import { useSite } from './open-page.ts';
import { addSamplePlan, requireSuccess } from './sample-plan.ts';

const site = useSite(async (project) => {
  await addSamplePlan(project);
  requireSuccess(await project.post('mutate/docs/add', { taskId: 'T001', slug: 'grammar', title: 'Notes on the grammar', content: 'x' }));
  requireSuccess(await project.post('mutate/session/start', { scope: 'epic:T002', name: 'Command line week' }));
  await tamperSqlite(project.root, addManyRecords);
});

/** 300 documents and sessions that come before those of the sample in every list. */
const addManyRecords = `
  create temp table numbers as with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) select i from n;
  insert into docs select 'page-' || i, 'note', 'Page ' || i, 1, '2099-01-01T00:00:00.000Z', 'ada', '2099-01-01T00:00:00.000Z' from numbers;
  insert into doc_versions select 'page-' || i, 1, (select min(digest) from doc_contents), null, '2099-01-01T00:00:00.000Z', 'ada'
    from numbers;
  insert into sessions (id, name, scope_type, status, graded, started_by, started_at, updated_at)
    select 'many-' || i, 'Day ' || i, 'global', 'active', 0, 'linus', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z' from numbers;`;

test('shows the project, the connection and the caller', async () => {
  const page = await site.open();
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  expect(await page.locator('.project').innerText()).toBe('parser');
  expect(await page.locator('.connection').innerText()).toContain('Live');
  expect(page.url()).not.toContain('secret');
});

test('opens views with the keyboard, and back returns', async () => {
  const page = await site.open();
  await page.getByText('At work', { exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/board');
  await page.goBack();
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Search').first().waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByText('At work', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/task\/T\d+/);
});

test('finds tasks, memory, documents and sessions of long lists, and commands, and opens a task with Enter', async () => {
  const page = await site.open();
  await page.getByText('At work', { exact: true }).waitFor();
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search' });
  await field.fill('structs');
  await page.getByRole('option', { name: /Tokens are structs.*Memory/ }).waitFor();
  await field.fill('notes grammar');
  await page.getByRole('option', { name: /Notes on the grammar.*Document/ }).waitFor();
  await field.fill('line week');
  await page.getByRole('option', { name: /Command line week.*Session/ }).waitFor();
  await field.fill('backup');
  await page
    .getByRole('option', { name: /Command/ })
    .first()
    .waitFor();
  await field.fill('expresions');
  await page.getByRole('option', { name: /T004.*Parse expressions/ }).waitFor();
  await field.fill('lexer');
  await page.getByRole('option', { name: /T003/ }).waitFor();
  await field.press('Enter');
  await page.waitForURL(/\/task\/T003/);
});

test('switches the theme and remembers it', async () => {
  const page = await site.open();
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('button', { name: /^Theme/ }).click();
  expect(await background()).not.toBe(light);
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  expect(await background()).not.toBe(light);
});

test('times are in the zone of the reader with the UTC time as title', async () => {
  const context = await (await connectBrowser()).newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  onTestFinished(() => context.close());
  const page = await site.open({ context, path: '/task/T003' });
  const time = page.getByRole('complementary', { name: 'Properties' }).locator('time').first();
  const [written, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')];
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' });
  expect(title).toBe(`${local.format(new Date(written!))} (${written!.slice(0, 16).replace('T', ' ')} UTC)`);
});

test('no text can become a script or an element, and nothing moves for a reader who wants no motion', async () => {
  const page = await site.open({ path: '/board', allowsViolations: true });
  await page.getByText('Write the lexer').waitFor();
  const outcome = await page.evaluate(() => {
    const attempt = (run: () => unknown): string => {
      try {
        run();
        return 'allowed';
      } catch (error) {
        return error instanceof TypeError ? 'rejected' : String(error);
      }
    };
    const elements = [...document.querySelectorAll('*')].map((element) => getComputedStyle(element));
    return {
      // Trusted Types reject every string.
      html: attempt(() => Object.assign(document.createElement('div'), { innerHTML: '<b>x</b>' })),
      source: attempt(() => Object.assign(document.createElement('script'), { src: '/x.js' })),
      policy: attempt(() =>
        (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }).trustedTypes.createPolicy(
          'other',
          {},
        ),
      ),
      moving: elements.filter(({ animationName, transitionDuration }) => animationName !== 'none' || parseFloat(transitionDuration) > 0)
        .length,
    };
  });
  expect(outcome).toEqual({ html: 'rejected', source: 'rejected', policy: 'rejected', moving: 0 });
});

test('only reads without the secret, and says how to get it', async () => {
  const page = await site.open({ isReadOnly: true, path: '/board' });
  await page.getByText('Read-only').waitFor();
  expect(await page.locator('.banner').innerText()).toContain('cleo serve --open');
  await page.getByText('Write the lexer').waitFor();
  expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0);
});

test('a second tab gets the secret from the first one', async () => {
  const context = await site.openContext();
  await site.open({ context });
  const second = await site.open({ context, isReadOnly: true, path: '/board' });
  await second.getByRole('button', { name: 'Add' }).waitFor();
  expect(await second.getByText('Read-only').count()).toBe(0);
});

test('reconnects after a restart of the server, shows what changed, and becomes read-only', async () => {
  const page = await site.open({ path: '/board' });
  await page.getByText('Write the lexer').waitFor();
  await site.project.stopServer();
  await page.getByText('The server does not answer').waitFor();
  await site.project.cleo('add', 'Added while the server was down');
  await site.project.restartServer();
  await page.getByText('Added while the server was down').waitFor();
  await page.getByText('Read-only').waitFor();
});

test('takes back the last change after showing what it is', async () => {
  const page = await site.open({ path: '/task/T008' });
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('menuitemradio', { name: 'critical' }).click();
  await page.getByRole('button', { name: 'Priority' }).getByText('critical').waitFor();
  await page.keyboard.press('z');
  const dialog = page.getByRole('dialog', { name: 'Take back the last change' });
  await dialog.getByText('Take back update T008 "Print help"').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Priority' }).getByText('medium').waitFor();
  // The search offers the same. What was taken back is no change to take back again.
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('undo');
  await page.getByRole('option', { name: /take back your last change.*Action/i }).click();
  await dialog.waitFor();
  expect(await dialog.innerText()).not.toContain('T008');
  await page.getByRole('button', { name: 'Cancel' }).click();
});
