import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { grantPerson, personToken } from '../../test/person-token.ts';
import { startPostgres } from '../../test/postgres.ts';
import { trustProject } from '../../test/trust.ts';
import { connectBrowser } from './connect-browser.ts';
import { requireSuccess } from './sample-plan.ts';
import { type Answer, serveProject } from './served-project.ts';

async function openEmptyPage(): Promise<Page> {
  const context = await (await connectBrowser()).newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

test('a change through one server is on a page of another server, on PostgreSQL', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const env = { CLEO_DATABASE_URL: postgres.url };
  const first = await serveProject({ env });
  onTestFinished(() => first.close());
  const second = await serveProject({ env, sameAs: first });
  onTestFinished(() => second.close());
  const page = await openEmptyPage();
  await page.goto(`${second.url}/board${new URL(second.page).hash}`);
  await page.getByText('No tasks yet').waitFor();
  await first.post('mutate/tasks/add', { title: 'Written through the first server' });
  await page.getByText('Written through the first server').first().waitFor({ timeout: 3000 });
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByLabel('Title').fill('Written by the page');
  await page.getByLabel('Title').press('Enter');
  await page.locator('[data-status=pending]').getByText('Written by the page').waitFor();
  expect((await first.post('query/tasks/find', { query: 'page' })).tasks).toHaveLength(1);
});

test('serve --open opens the page with its secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The program that opens an address, by its name on Linux and macOS.
  for (const name of ['xdg-open', 'open'])
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$1" > ${folder}/new && mv ${folder}/new ${folder}/address\n`, { mode: 0o755 });
  const project = await serveProject({ words: ['--open'], env: { PATH: `${folder}:${process.env.PATH}` } });
  onTestFinished(() => project.close());
  await expect.poll(() => existsSync(join(folder, 'address')), { timeout: 15_000 }).toBe(true);
  const opened = readFileSync(join(folder, 'address'), 'utf8');
  expect(opened).toBe(project.page);
  const page = await openEmptyPage();
  await page.goto(opened);
  await page.getByText('No tasks yet').waitFor();
  await page.getByRole('link', { name: 'a quick add on the board' }).click();
  // Only a page with the secret offers to write.
  await page.locator('header').getByRole('button', { name: 'Add', exact: true }).waitFor();
});

test('a server with tokens asks for one, and asks again when it is revoked', async () => {
  const project = await serveProject({
    config: { serve: { requireToken: true } },
    prepare: (root, HOME) => grantPerson(root, { HOME }),
  });
  onTestFinished(() => project.close());
  const page = await openEmptyPage();
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/')) calls++;
  });
  await page.goto(project.url);
  await page.getByText('This server needs a token').waitFor();
  // The page waits for the token and does not call the server again and again.
  const before = calls;
  await page.waitForTimeout(200);
  expect(calls).toBe(before);
  await page.getByLabel('Token', { exact: true }).fill('cleo_wrong');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The server does not accept that token').waitFor();
  await page.getByLabel('Token', { exact: true }).fill(personToken.secret);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('No tasks yet').waitFor();
  await page.locator('.connection').getByText('Live').waitFor();
  const asPerson = async (path: string, params: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${personToken.secret}` };
    return (await fetch(`${project.url}/api/mutate/${path}`, { method: 'POST', headers, body: JSON.stringify(params) })).json();
  };
  // A token that may only read shows everything and offers no change.
  const { secret } = await asPerson('admin/token.create', { name: 'reader', scope: 'query' }).then(requireSuccess);
  await asPerson('tasks/add', { title: 'Read by many' }).then(requireSuccess);
  const reader = await openEmptyPage();
  await reader.goto(`${project.url}/board`);
  await reader.getByLabel('Token', { exact: true }).fill(secret);
  await reader.getByRole('button', { name: 'Continue' }).click();
  await reader.getByText('Read by many').waitFor();
  await reader.getByText('Read-only: this token may only read.').waitFor();
  expect(await reader.getByRole('button', { name: 'Add' }).count()).toBe(0);
  await asPerson('admin/token.revoke', { name: personToken.name });
  // The open page asks at once, and a page that is opened later asks too.
  await page.getByText('The server does not accept that token').waitFor();
  await page.goto(`${project.url}/board`);
  await page.getByText('This server needs a token').waitFor();
});

test('a page of another origin can neither read nor write', async () => {
  const project = await serveProject();
  onTestFinished(() => project.close());
  await project.post('mutate/tasks/add', { title: 'Private' });
  const foreign = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>other</title>'));
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void foreign.close());
  const page = await openEmptyPage();
  await page.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`);
  const secret = new URLSearchParams(new URL(project.page).hash.slice(1)).get('secret')!;
  const outcomes = await page.evaluate(
    async ({ url, key }) => {
      const post = { method: 'POST', body: '{"title":"Planted"}' };
      const json = { 'content-type': 'application/json', 'cleo-page-secret': key };
      const requests: [string, RequestInit][] = [
        ['query/tasks/list', { ...post, body: '{}', headers: { 'content-type': 'application/json' } }],
        ['mutate/tasks/add', { ...post, headers: json }],
        ['mutate/tasks/add', { ...post, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }],
        ['events', {}],
      ];
      return Promise.all(
        requests.map(([path, request]) =>
          fetch(`${url}/api/${path}`, request).then(
            async (response) => `read ${await response.text()}`.trim(),
            () => 'rejected',
          ),
        ),
      );
    },
    { url: project.url, key: secret },
  );
  expect(outcomes).toEqual(Array(4).fill('rejected'));
  expect((await project.post('query/tasks/list')).tasks).toMatchObject([{ title: 'Private' }]);
});

test('a write after the session has ended is rejected, and the page says how to start one', async () => {
  const project = await serveProject({
    config: { session: { required: true } },
    prepare: (root, HOME) => trustProject(root, { HOME }),
  });
  onTestFinished(() => project.close());
  await project.post('mutate/session/start', { scope: 'global', autoFocus: false }).then(requireSuccess);
  const page = await openEmptyPage();
  await page.goto(`${project.url}/board${new URL(project.page).hash}`);
  const add = async (title: string): Promise<void> => {
    await page.locator('header').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Title').press('Enter');
  };
  await add('During the session');
  await page.locator('[data-status=pending]').getByText('During the session').waitFor();
  await project.post('mutate/session/end').then(requireSuccess);
  await add('After the session');
  await page
    .locator('.notices')
    .getByText(/cleo session start/)
    .first()
    .waitFor();
  expect((await project.post('query/tasks/list')).tasks).toHaveLength(1);
});
