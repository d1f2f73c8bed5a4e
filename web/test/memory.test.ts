import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPassphrase } from '../../src/platform/passphrase.ts';
import { useSite } from './open-page.ts';
import { addSamplePlan } from './sample-plan.ts';
import { addSampleRecords } from './sample-records.ts';

const site = useSite(
  async (project) => {
    await addSamplePlan(project);
    await addSampleRecords(project);
  },
  {
    async prepare(_, home) {
      const folder = join(home, '.cleo');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ decide: { proof: 'passphrase' } }));
      await createPassphrase(folder).set('correct horse');
    },
  },
);

test('lists memory by state and documents, finds both with typos, and keeps the filters in the address', async () => {
  const page = await site.open({ path: '/memory' });
  const panel = (name: string) => page.getByRole('region', { name });
  await panel('Proposed').getByText('Tokens are structs').waitFor();
  await panel('Superseded').getByText('Errors are values').waitFor();
  await panel('Rejected').getByText('Every parser has a lexer').waitFor();
  await panel('Documents').getByText('stale').waitFor();
  await page.getByLabel('Search memory and documents').fill('tokns');
  await panel('Found in memory').getByText('Tokens are structs').waitFor();
  await panel('Documents').getByText('No document matches.').waitFor();
  await page.getByLabel('Search memory and documents').fill('gramar nots');
  await panel('Found in memory').getByText('No entry matches.').waitFor();
  await panel('Documents').getByRole('link', { name: 'Notes on the grammar' }).waitFor();
  await page.getByLabel('Search memory and documents').fill('');
  await page.getByLabel('Kind').selectOption('decision');
  await page.getByLabel('State').selectOption('superseded');
  await panel('Proposed').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?kind=decision&state=superseded');
  await page.reload();
  await panel('Superseded').getByText('Errors are values').waitFor();
  expect(await page.locator('.memory-row').count()).toBe(1);
});

test('an entry shows what cites it and how it was decided; a person confirms with the passphrase', async () => {
  const page = await site.open({ path: '/memory/D-002' });
  await page.getByRole('heading', { name: 'Errors are values', level: 1 }).waitFor();
  const cited = page.getByRole('region', { name: 'Cited by' });
  await cited.getByText('Long lines are slow').waitFor();
  await cited.getByText('Notes on the grammar').waitFor();
  await page.getByText('Positions are needed').waitFor();
  expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  await page.locator('.superseded-by').getByRole('link', { name: 'D-003' }).click();
  await page.getByRole('heading', { name: 'Errors are classes' }).waitFor();
  // An id in a text is a link.
  await page.locator('.markdown').getByRole('link', { name: 'D-002' }).waitFor();
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByLabel('Passphrase').fill('wrong');
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('the passphrase is wrong').waitFor();
  await page.getByLabel('Passphrase').fill('correct horse');
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.locator('.record-actions').getByText('accepted').waitFor();
  await page.getByText('passphrase', { exact: true }).waitFor();
  expect((await site.project.post('query/memory/fetch', { id: 'D-003' })).memory).toMatchObject({ confirmation_state: 'accepted' });
});

test('rejects and supersedes, and follows a change of another process', async () => {
  const page = await site.open({ path: '/memory/O-001' });
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Reason').fill('Only once');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.locator('.record-actions').getByText('rejected').waitFor();
  await page.getByText('Only once').waitFor();
  await site.project.post('mutate/memory/confirm', { id: 'O-001' });
  await page.locator('.record-actions').getByText('accepted').waitFor();
  const { memory } = await site.project.post('mutate/memory/store', { type: 'observation', content: 'Each line is read once' });
  await page.getByRole('button', { name: 'Supersede…' }).click();
  await page.getByLabel('Entry that replaces it').fill(memory.id);
  await page.getByRole('button', { name: 'Supersede', exact: true }).click();
  await page.locator('.record-actions').getByText('superseded').waitFor();
  expect((await site.project.post('query/memory/fetch', { id: 'O-001' })).memory).toMatchObject({ supersededBy: memory.id });
});

test('a document shows its versions and what changed between two of them', async () => {
  const page = await site.open({ path: '/documents/grammar-notes' });
  await page.getByText('which was superseded').waitFor();
  await page.locator('.markdown').getByText('strings').waitFor();
  await page.keyboard.press('[');
  await page.locator('.markdown').getByText('comments').waitFor();
  expect(new URL(page.url()).search).toBe('?version=2');
  await page.getByLabel('Compare with').selectOption('1');
  const diff = page.getByRole('region', { name: 'Differences' });
  await diff.getByText('or a line break').waitFor();
  expect(await diff.locator('tr.removed').allInnerTexts()).toEqual([expect.stringMatching(/^3\s.*Statements end with `;`\.$/s)]);
  expect(await diff.locator('tr.added').count()).toBe(2);
  // A later version is on the page as soon as it is stored.
  await page.goto(`${site.project.url}/documents/grammar-notes?compare=3`);
  await page.getByText('Both versions have the same lines.').waitFor();
  await site.project.post('mutate/docs/update', { slug: 'grammar-notes', content: '# Grammar\n\nNew\n' });
  await diff.getByText('New').waitFor();
  await page.goto(`${site.project.url}/documents/logo`);
  await page.getByText('This version is not text.').waitFor();
  await page.goto(`${site.project.url}/documents/missing`);
  await page.getByRole('alert').waitFor();
});

test('edits a document, and does not overwrite a version that was stored meanwhile', async () => {
  await site.project.post('mutate/docs/add', { taskId: 'T001', slug: 'shells', title: 'Shells', content: 'bash\r\nzsh\r\n' });
  const page = await site.open({ path: '/documents/shells' });
  await page.locator('.markdown').getByText('bash').waitFor();
  await page.keyboard.press('e');
  const field = page.getByLabel('Text, in Markdown');
  const store = page.getByRole('button', { name: 'Store a new version' });
  expect(await store.isDisabled()).toBe(true);
  await field.fill('bash\nfish\n');
  await site.project.post('mutate/docs/update', { slug: 'shells', content: 'bash\r\nksh\r\n' });
  await page.getByRole('alert').getByText('Version 2 was stored since you began').waitFor();
  expect(await store.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Store mine after it' }).click();
  await store.click();
  await page.locator('.markdown').getByText('fish').waitFor();
  expect(await site.project.post('query/docs/fetch', { slug: 'shells' })).toMatchObject({
    doc: { version: 3 },
    content: 'bash\r\nfish\r\n',
  });
  await page.goto(`${site.project.url}/documents/shells?version=1`);
  await page.locator('.markdown').getByText('zsh').waitFor();
  expect(await page.getByRole('button', { name: 'Edit the text' }).count()).toBe(0);
});

test('without the secret, memory can be read and not decided', async () => {
  const page = await site.open({ path: '/memory', isReadOnly: true });
  await page.getByText('Tokens are structs').waitFor();
  expect(await page.getByRole('button', { name: /^Confirm D-001/ }).isDisabled()).toBe(true);
});
