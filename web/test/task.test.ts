import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tamperSqlite } from '../../test/app.ts';
import { openPath, useSite } from './open-page.ts';
import { addSamplePlan, requireSuccess } from './sample-plan.ts';
import { type Answer, serveProject } from './served-project.ts';

const site = useSite(addSamplePlan);

const show = async (id: string): Promise<Answer> => (await site.project.post('query/tasks/show', { taskId: id })).task;

test('shows all of a task', async () => {
  const page = await site.open({ path: '/task/T003' });
  await page.getByRole('heading', { name: 'Write the lexer', level: 1 }).waitFor();
  await page.getByText('Tokens for strings').waitFor();
  // A task id in a note is a link.
  await page.locator('.note').getByRole('link', { name: /T005/ }).waitFor();
  await page.getByText('Waiting for it').waitFor();
  await page.getByText('Tokens are structs').waitFor();
  await page.getByRole('button', { name: 'Audit log' }).click();
  await page.locator('.history').getByText('tasks.start').waitFor();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText(/at most [\d,.]+ tokens/).waitFor();
});

test('draws Markdown of the description as elements', async () => {
  const page = await site.open({ path: '/task/T001' });
  await page.locator('.markdown strong', { hasText: 'version 2' }).waitFor();
  expect(await page.locator('.markdown li').count()).toBe(2);
});

test('edits title, description and fields', async () => {
  const page = await site.open({ path: '/task/T011' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Title', { exact: true }).fill('Ask which shells people use');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ask which shells people use' }).waitFor();
  await page.getByRole('button', { name: 'Edit the description' }).click();
  await page.getByLabel('Description, in Markdown').fill('*All* of them');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.markdown em', { hasText: 'All' }).waitFor();
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('menuitemradio', { name: 'critical' }).click();
  await page.getByRole('button', { name: 'Change: Labels' }).click();
  await page.getByLabel('Labels, separated by commas').fill('survey, users');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('button', { name: 'Change: Due date' }).click();
  await page.getByLabel('Day').fill('2026-12-24');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByText('2026-12-24').first().waitFor();
  expect(await show('T011')).toMatchObject({
    title: 'Ask which shells people use',
    description: '*All* of them',
    priority: 'critical',
    labels: ['survey', 'users'],
    due: '2026-12-24',
  });
});

test('adds notes, criteria, children, dependencies and relations', async () => {
  const page = await site.open({ path: '/task/T008' });
  await page.getByLabel('New note', { exact: true }).fill('Looks like `git help`');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.locator('.note code', { hasText: 'git help' }).waitFor();
  await page.getByLabel('New criterion', { exact: true }).fill('lists all flags');
  await page.getByLabel('New criterion', { exact: true }).press('Enter');
  await page.getByRole('checkbox', { name: 'lists all flags' }).check();
  await page.getByLabel('New subtask', { exact: true }).fill('Wrap long lines');
  await page.getByLabel('New subtask', { exact: true }).press('Enter');
  await page.getByRole('link', { name: 'Wrap long lines' }).waitFor();
  await page.getByLabel('New dependency', { exact: true }).fill('T007');
  await page.getByLabel('New dependency', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Remove the dependency on T007' }).waitFor();
  await page.getByRole('button', { name: 'Add a relation' }).click();
  await page.getByLabel('Other task').fill('T010');
  await page.getByLabel('Reason').fill('both print');
  await page.getByRole('button', { name: 'Relate' }).click();
  await page.getByText('both print', { exact: true }).waitFor();
  expect(await show('T008')).toMatchObject({
    depends: ['T007'],
    acceptance: expect.arrayContaining([expect.objectContaining({ text: 'lists all flags', met: true })]),
    relations: [expect.objectContaining({ taskId: 'T010' })],
  });
  await page.getByRole('button', { name: 'Remove the dependency on T007' }).click();
  await page.getByRole('button', { name: 'Remove the dependency on T007' }).waitFor({ state: 'detached' });
});

test('edits a criterion and requires evidence', async () => {
  const { task } = await site.project.post('mutate/tasks/add', { title: 'Fold constants', acceptance: ['1 + 1 is 3'] });
  const page = await site.open({ path: `/task/${task.id}` });
  await page.getByRole('button', { name: 'Edit criterion 1' }).click();
  await page.getByLabel('What must hold when it is done').fill('1 + 1 is 2');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('checkbox', { name: '1 + 1 is 2' }).waitFor();
  await page.getByRole('button', { name: 'Require evidence' }).click();
  await page.getByRole('menuitem', { name: 'qaPassed' }).click();
  const evidence = page.getByRole('region', { name: 'Evidence' });
  await evidence.getByText('not passed').first().waitFor();
  expect((await show(task.id)).acceptance).toMatchObject([
    { kind: 'text', text: '1 + 1 is 2' },
    { kind: 'evidence_bound', gate: 'qaPassed' },
  ]);
});

test('takes the verdict of a validator, who did not do the work', async () => {
  const asLinus = async (path: string, params: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', 'cleo-agent': 'linus' };
    return (await fetch(`${site.project.url}/api/mutate/tasks/${path}`, { method: 'POST', headers, body: JSON.stringify(params) })).json();
  };
  const { task } = await asLinus('add', { title: 'Inline constants', acceptEvidence: ['qaPassed'] });
  const passed = (gate: string) =>
    `('${task.id}', '${gate}', 1, 1, '[{"kind":"note","text":"done"}]', 'linus', '2026-01-01T00:00:00.000Z')`;
  await tamperSqlite(
    site.project.root,
    `insert into task_gates (task_id, gate, round, passed, evidence, agent_id, at) values ${passed('implemented')}, ${passed('testsPassed')}`,
  );
  const page = await site.open({ path: `/task/${task.id}` });
  const evidence = page.getByRole('region', { name: 'Evidence' });
  await evidence.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Reason').fill('Overflows');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await evidence.getByText(/by ada\s*: Overflows/).waitFor();
  await evidence.getByText('round 2, 1 of 5 failed').waitFor();
});

test('moves an epic through its stages', async () => {
  const page = await site.open({ path: '/task/T002' });
  const lifecycle = page.getByRole('region', { name: 'Lifecycle' });
  const move = async (stage: string, action: string): Promise<void> => {
    await lifecycle.getByRole('button', { name: `Stage ${stage}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  // The gate of a later stage is explained, with the command that leads out.
  await move('consensus', 'Start');
  await page.locator('.notices').getByText('cleo lifecycle').first().waitFor();
  await move('research', 'Start');
  await lifecycle.getByText('research active').waitFor();
  await move('research', 'Complete');
  await lifecycle.getByText('research completed').waitFor();
  await move('consensus', 'Skip…');
  await page.getByRole('textbox', { name: 'Reason' }).fill('One person decides');
  await page.getByRole('button', { name: 'Skip', exact: true }).click();
  await lifecycle.getByText('consensus skipped: One person decides').waitFor();
  await move('specification', 'Start');
  await move('specification', 'Mark as failed…');
  await page.getByRole('textbox', { name: 'Reason' }).fill('No data');
  await page.getByRole('button', { name: 'Mark as failed', exact: true }).click();
  await lifecycle.getByText('specification failed: No data').waitFor();
  await move('specification', 'Reset to pending');
  await lifecycle.getByText('specification failed').waitFor({ state: 'detached' });
  const { lifecycle: stored } = await site.project.post('query/lifecycle/status', { epicId: 'T002' });
  expect(stored.stages.slice(0, 3).map(({ status }: Answer) => status)).toEqual(['completed', 'skipped', 'pending']);
  // A task shows the stage of its epic.
  await openPath(page, '/task/T008');
  await page.getByRole('link', { name: /consensus skipped|specification/ }).waitFor();
});

test('waits for a task of another project', async () => {
  const other = await serveProject({ env: { HOME: join(site.project.root, '..', 'home') } });
  onTestFinished(() => other.close());
  await other.cleo('add', 'Publish the grammar').then(requireSuccess);
  await other.cleo('nexus', 'init').then(requireSuccess);
  await other.cleo('nexus', 'register', '--name', 'web').then(requireSuccess);
  await site.project.cleo('nexus', 'register', '--name', 'parser').then(requireSuccess);
  const page = await site.open({ path: '/task/T006' });
  await page.getByLabel('New dependency', { exact: true }).fill('web:T001');
  await page.getByLabel('New dependency', { exact: true }).press('Enter');
  // A page may not open another project: a person runs the command, and the page follows it.
  const dialog = page.getByRole('dialog', { name: 'T006 depends on web:T001' });
  await dialog.getByText('cleo nexus deps add T006 web:T001').waitFor();
  await site.project.cleo('nexus', 'deps', 'add', 'T006', 'web:T001').then(requireSuccess);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Dependencies' }).getByText('Publish the grammar').waitFor();
  await page.getByText('waits for web:T001').first().waitFor();
  await page.getByRole('button', { name: 'Remove the dependency on web:T001' }).click();
  await page.getByRole('button', { name: 'Remove the dependency on web:T001' }).waitFor({ state: 'detached' });
});

test('stores and attaches documents, memory and research', async () => {
  await site.project.post('mutate/docs/add', { taskId: 'T001', slug: 'exit-codes', title: 'Exit codes', content: '# Codes\n' });
  const research = { id: 'T001-shells', file: 'shells.md', title: 'Which shells there are', status: 'complete', linkedTasks: ['T001'] };
  await site.project.post('mutate/research/add', research).then(requireSuccess);
  const page = await site.open({ path: '/task/T011' });
  const documents = page.getByRole('region', { name: 'Documents' });
  await documents.getByRole('button', { name: 'Add a document' }).click();
  await documents.getByLabel('Title of the document').fill('Answers of the users');
  await documents.getByLabel('Content of the document').fill('Most use *zsh*.');
  await documents.getByRole('button', { name: 'Store' }).click();
  await documents.getByRole('link', { name: 'Answers of the users' }).waitFor();
  await documents.getByRole('button', { name: 'Add a document' }).click();
  await documents.getByRole('button', { name: 'Existing' }).click();
  await documents.getByLabel('Slug of the document').fill('exit-codes');
  await documents.getByRole('button', { name: 'Attach' }).click();
  await documents.getByRole('link', { name: 'Exit codes' }).waitFor();
  await documents.getByRole('button', { name: 'Detach answers-of-the-users' }).click();
  await documents.getByRole('link', { name: 'Answers of the users' }).waitFor({ state: 'detached' });
  expect((await site.project.post('query/docs/list', { task: 'T011' })).docs).toMatchObject([
    { slug: 'exit-codes', tasks: ['T001', 'T011'] },
  ]);
  const memory = page.getByRole('region', { name: 'Memory' });
  await memory.getByRole('button', { name: 'Add to memory' }).click();
  await memory.getByLabel('Type of the entry').selectOption('learning');
  await memory.getByLabel('Title of the entry').fill('Nobody uses csh');
  await memory.getByLabel('Content of the entry').fill('Asked 40 people.');
  await memory.getByRole('button', { name: 'Store' }).click();
  await memory.getByRole('link', { name: 'Nobody uses csh' }).waitFor();
  await page.getByLabel('Research entry', { exact: true }).fill('T001-shells');
  await page.getByLabel('Research entry', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Unlink T001-shells' }).click();
  await page.getByRole('button', { name: 'Unlink T001-shells' }).waitFor({ state: 'detached' });
});

test('closes a task as a duplicate', async () => {
  const { task } = await site.project.post('mutate/tasks/add', { title: 'Print the help' });
  const page = await site.open({ path: `/task/${task.id}` });
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Close as a duplicate…' }).click();
  await page.getByLabel('Reason').fill('T008 is the same');
  await page.getByRole('button', { name: 'Close as a duplicate', exact: true }).click();
  await page.locator('.task-head .label', { hasText: 'duplicate' }).waitFor();
  expect(await show(task.id)).toMatchObject({ status: 'done', resolution: 'duplicate' });
});

test('starts, blocks, completes, deletes and restores', async () => {
  const { task } = await site.project.post('mutate/tasks/add', { title: 'A task for a day' });
  const page = await site.open({ path: `/task/${task.id}` });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Complete', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Status of/ }).click();
  await page.getByRole('menuitemradio', { name: 'blocked' }).click();
  await page.getByLabel('Reason').fill('Waits for an answer');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.locator('.blocked-reason').getByText('Waits for an answer').waitFor();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByLabel(`Type ${task.id} to delete it`).fill(task.id);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/tree/);
  await page.goto(`${site.project.url}/task/${task.id}`);
  await page.getByRole('button', { name: 'Restore it' }).click();
  await page.getByRole('heading', { name: 'A task for a day' }).waitFor();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Unblock' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Complete', exact: true }).click();
  await page
    .getByRole('button', { name: /^Status of/ })
    .getByText('done')
    .waitFor();
});

test('says that a task does not exist', async () => {
  const page = await site.open({ path: '/task/T999' });
  await page.getByText('There is no task T999').waitFor();
});
