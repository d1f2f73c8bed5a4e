import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApp, type TestApp } from '../../../../test/app.ts';
import { type GithubServer, startGithubServer } from '../../../../test/github-server.ts';

interface Setup {
  app: TestApp;
  server: GithubServer;
  // biome-ignore lint/suspicious/noExplicitAny: envelopes have many shapes
  sync(params?: Record<string, unknown>): Promise<any>;
}

async function open(tasks: string[] = []): Promise<Setup> {
  const server = await startGithubServer();
  onTestFinished(async () => {
    await server.close();
    expect(server.violations).toEqual([]);
  });
  const app = await openApp({ tasks, env: { GITHUB_API_URL: server.url, GITHUB_TOKEN: server.token.value } });
  return { app, server, sync: (params = {}) => app.call('sync.github', { repo: server.repo, ...params }) };
}

const show = async (app: TestApp, taskId: string) => (await app.call('tasks.show', { taskId })).task;
const listWrites = ({ log }: GithubServer): string[] => log.filter((line) => !line.startsWith('GET '));

test('the first sync reads issues, labels, states, assignees, comments, sub-issues and dependencies, and writes nothing to GitHub', async () => {
  const { app, server, sync } = await open(['T001 epic', 'T002 in T001']);
  server.addIssue({ title: 'Ship uploads', labels: ['Good First Issue', 'priority:high'] });
  server.addIssue({ title: 'Resume', parent: 1, assignees: ['ada'], body: 'Text\n\n- [x] Works\n- [ ] Fast' });
  server.addIssue({ title: 'Old', state: 'closed', state_reason: 'not_planned', closed_at: '2026-01-02T00:00:00Z' });
  server.addIssue({ title: 'Later', blockedBy: [2] });
  server.addIssue({ title: 'A pull request', isPullRequest: true });
  server.addComment(2, 'Seen it too');
  const first = await sync();
  expect(first.sync).toMatchObject({
    repo: 'octo/plan',
    issues: 4,
    pulled: { created: 4, updated: 0 },
    pushed: { created: 0, updated: 0 },
  });
  const parent = await show(app, 'octo/plan#1');
  expect(parent).toMatchObject({ title: 'Ship uploads', priority: 'high', labels: ['good-first-issue'] });
  expect(await show(app, 'octo/plan#2')).toMatchObject({
    parentId: parent.id,
    assignee: 'ada',
    acceptance: [{ text: 'Works', met: true }, { text: 'Fast' }],
    notes: [{ by: 'ada', text: 'Seen it too' }],
  });
  expect(await show(app, 'octo/plan#3')).toMatchObject({ status: 'done', resolution: 'wontfix' });
  expect((await show(app, 'octo/plan#4')).depends).toEqual([(await show(app, 'octo/plan#2')).id]);
  expect(listWrites(server)).toEqual([]);
  const second = await sync();
  expect(second._meta.exitCode).toBe(102);
  expect(second.sync.pulled).toEqual({ created: 0, updated: 0, unchanged: 4 });
  expect(listWrites(server)).toEqual([]);
});

test('changes of tasks with an issue are written to it, and nothing else', async () => {
  const { app, server, sync } = await open();
  server.addIssue({ title: 'Epic', labels: ['type:epic'] });
  server.addIssue({ title: 'Resume', labels: ['Needs Triage', 'bug'], assignees: ['ada', 'octo'], body: 'Text\n\n- [ ] Works\n- [ ] #1' });
  server.addIssue({ title: 'Other' });
  server.addIssue({ title: 'Done soon' });
  await sync();
  const id = (await show(app, 'octo/plan#2')).id;
  const other = (await show(app, 'octo/plan#3')).id;
  const done = (await show(app, 'octo/plan#4')).id;
  await app.call('tasks.update', {
    taskId: id,
    title: 'Resume uploads',
    addLabels: ['urgent'],
    removeLabels: ['bug'],
    priority: 'critical',
  });
  await app.call('tasks.update', { taskId: id, assignee: 'octo', notes: 'Half of it works', addDepends: [other] });
  await app.call('tasks.criteria.check', { taskId: id, n: 1 });
  await app.call('tasks.cancel', { taskId: done, reason: 'Too much' });
  const preview = await sync({ dryRun: true });
  expect(preview.changes).toEqual([
    {
      side: 'github',
      action: 'update',
      id: 'octo/plan#2',
      taskId: id,
      title: 'Resume uploads',
      fields: expect.arrayContaining(['title', 'labels', 'depends', 'comments']),
    },
    expect.objectContaining({ side: 'github', action: 'close', id: 'octo/plan#4', taskId: done }),
  ]);
  expect(listWrites(server)).toEqual([]);
  expect((await sync()).sync.pushed).toEqual({ created: 0, updated: 2 });
  const issue = server.issues.get(2)!;
  expect(issue).toMatchObject({ title: 'Resume uploads', assignees: ['octo'], blockedBy: [3], body: 'Text\n\n- [x] Works\n- [ ] #1' });
  expect(issue.labels).toEqual(['Needs Triage', 'urgent', 'priority:critical']);
  expect(server.comments.map(({ body }) => body.split('\n')[0])).toEqual(['Half of it works', expect.stringContaining('Too much')]);
  expect(server.issues.get(4)).toMatchObject({ state: 'closed', state_reason: 'not_planned' });
  expect(server.issues.get(3)).toMatchObject({ title: 'Other', labels: [] });
  const writes = listWrites(server).length;
  const again = await sync();
  expect([again._meta.exitCode, listWrites(server).length]).toEqual([102, writes]);
  expect((await show(app, id)).notes).toHaveLength(1);
});

test('only names that can be a login are looked up as assignees', async () => {
  const { app, server, sync } = await open();
  const names = ['ada', 'Octo', 'agent-1', '-ada', 'team/ada', 'ada.b', 'a'.repeat(39), 'a'.repeat(40)];
  for (const _ of names) server.addIssue();
  await sync();
  const ids = await Promise.all(names.map(async (_, i) => (await show(app, `octo/plan#${i + 1}`)).id));
  for (const [i, assignee] of names.entries()) await app.call('tasks.update', { taskId: ids[i], assignee });
  server.people.add('Octo');
  const { losses } = await sync();
  const asked = server.log.flatMap((line) => /\/assignees\/(\S+)/.exec(line)?.[1] ?? []);
  expect(asked.toSorted()).toEqual(['Octo', 'a'.repeat(39), 'ada', 'agent-1'].toSorted());
  expect(losses.map(({ id, field }: { id: string; field: string }) => `${id} ${field}`)).toEqual(
    ids.slice(2).map((id) => `${id} assignee`),
  );
  expect([server.issues.get(1)!.assignees, server.issues.get(2)!.assignees]).toEqual([['ada'], ['Octo']]);
});

test('new tasks get issues only with --push, with parents, dependencies, states and notes', async () => {
  const { app, server, sync } = await open(['T001 epic', 'T002 in T001 done', 'T003 in T001', 'T004 in T001']);
  await app.call('tasks.update', { taskId: 'T003', addDepends: ['T002'], notes: 'Why' });
  expect((await sync())._meta.exitCode).toBe(102);
  expect(server.issues.size).toBe(0);
  const preview = await sync({ push: ['T001', 'T002', 'T003'], dryRun: true });
  expect(preview.changes.map(({ action, taskId }: { action: string; taskId: string }) => `${action} ${taskId}`)).toEqual([
    'create T001',
    'create T002',
    'create T003',
  ]);
  const pushed = await sync({ push: ['T001', 'T002', 'T003'] });
  expect(pushed.sync.pushed).toEqual({ created: 3, updated: 0 });
  const [epic, second, third] = [...server.issues.values()];
  expect([epic!.title, second!.parent, third!.parent, third!.blockedBy]).toEqual([(await show(app, 'T001')).title, 1, 1, [2]]);
  expect(second).toMatchObject({ state: 'closed', state_reason: 'completed' });
  expect(server.comments.map(({ issue, body }) => [issue, body.split('\n')[0]])).toEqual([[3, 'Why']]);
  const writes = listWrites(server).length;
  const before = await Promise.all(['T001', 'T002', 'T003', 'T004'].map((id) => show(app, id)));
  for (const params of [{}, { push: ['T001', 'T002', 'T003'] }]) expect((await sync(params))._meta.exitCode).toBe(102);
  expect(listWrites(server).length).toBe(writes);
  expect(await Promise.all(['T001', 'T002', 'T003', 'T004'].map((id) => show(app, id)))).toEqual(before);
  expect((await show(app, 'octo/plan#3')).id).toBe('T003');
});

test('a value that changed on both sides is a conflict, decided by --on-conflict', async () => {
  for (const [policy, expected] of [
    ['ours', 'Ours'],
    ['theirs', 'Theirs'],
    ['newer', 'Ours'],
  ] as const) {
    const { app, server, sync } = await open();
    server.addIssue({ title: 'Before', labels: ['a'] });
    await sync();
    const { id } = await show(app, 'octo/plan#1');
    await app.call('tasks.update', { taskId: id, title: 'Ours', addLabels: ['ours'] });
    server.editIssue(1, { title: 'Theirs', labels: ['a', 'theirs'] });
    const { conflicts } = await sync({ onConflict: policy });
    expect(conflicts).toEqual([{ id: 'octo/plan#1', taskId: id, field: 'title', kept: expected === 'Ours' ? 'ours' : 'theirs' }]);
    expect([(await show(app, id)).title, server.issues.get(1)!.title]).toEqual([expected, expected]);
    expect((await show(app, id)).labels.toSorted()).toEqual(['a', 'ours', 'theirs']);
    expect(server.issues.get(1)!.labels.toSorted()).toEqual(['a', 'ours', 'theirs']);
    expect((await sync())._meta.exitCode).toBe(102);
  }
});

test('pages are followed, and pages that have not changed are not sent again', async () => {
  const { server, sync } = await open();
  for (let i = 0; i < 250; i += 1) server.addIssue();
  for (let i = 0; i < 120; i += 1) server.addComment(1 + (i % 5), `Comment ${i}`);
  expect((await sync()).sync.pulled.created).toBe(250);
  server.log.length = 0;
  server.editIssue(249, { title: 'Changed' });
  expect((await sync()).sync.pulled).toEqual({ created: 0, updated: 1, unchanged: 249 });
  expect(server.log.filter((line) => /issues\?/.test(line)).map((line) => line.split(' ')[2])).toEqual(['304', '304', '200']);
  for (let i = 0; i < 51; i += 1) server.addIssue();
  expect((await sync()).sync.pulled.created).toBe(51);
});

test('a comment that moves to the next page while the pages are read is one note', async () => {
  const { app, server, sync } = await open();
  server.addIssue();
  for (let i = 0; i < 101; i += 1) server.addComment(1, `Comment ${i}`);
  server.onRequest = (line) => {
    // An older comment moves the last one of the first page to the second.
    if (/comments.*page=2/.test(line)) server.comments.unshift({ ...server.comments[0]!, id: 9999, body: 'Older' });
    return undefined;
  };
  await sync();
  expect((await app.store.read(({ tasks }) => tasks.getNotes(['T001']))).get('T001')).toHaveLength(101);
});

test('a comment of a deleted account is a note, which is not written to GitHub as a new comment', async () => {
  const { app, server, sync } = await open();
  server.addIssue();
  server.addComment(1, 'Seen it too', '');
  await sync();
  await app.call('tasks.update', { taskId: 'T001', title: 'Changed' });
  await sync();
  expect(listWrites(server)).toEqual(['PATCH /repos/octo/plan/issues/1 200']);
});

test('every token has its own ETags, which stay valid while others use the same store', async () => {
  const { app, server, sync } = await open();
  for (let i = 0; i < 120; i += 1) server.addIssue();
  server.token.others.push('token-of-ada');
  app.env.GITHUB_TOKEN = 'token-of-ada';
  const ada = app.as('ada');
  const readPages = async (run: () => Promise<unknown>): Promise<string[]> => {
    server.log.length = 0;
    await run();
    return server.log.filter((line) => /issues\?/.test(line)).map((line) => line.split(' ')[2]!);
  };
  const syncAda = () => ada.call('sync.github', { repo: server.repo });
  expect(await readPages(sync)).toEqual(['200', '200']);
  expect(await readPages(syncAda)).toEqual(['200', '200']);
  expect(await readPages(sync)).toEqual(['304', '304']);
  expect(await readPages(syncAda)).toEqual(['304', '304']);
  server.editIssue(120, { title: 'Changed' });
  expect(await readPages(sync)).toEqual(['304', '200']);
  expect(await readPages(syncAda)).toEqual(['304', '200']);
  const stored = JSON.stringify([...(await app.store.read(({ github }) => github.list(server.repo))).values()]);
  for (const token of [server.token.value, 'token-of-ada']) expect(stored).not.toContain(token);
});

test('the token comes from gh if GITHUB_TOKEN is not set, for the host of the API', async () => {
  const server = await startGithubServer();
  onTestFinished(() => server.close());
  server.addIssue();
  const app = await openApp();
  const bin = join(app.root, 'bin');
  mkdirSync(bin);
  const writeGh = (script: string): void => {
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'gh'), 0o755);
  };
  Object.assign(app.env, { GITHUB_API_URL: server.url, PATH: `${bin}${delimiter}${process.env.PATH}` });
  const sync = () => app.as('ada').call('sync.github', { repo: server.repo });
  writeGh(`[ "$*" = "auth token --hostname 127.0.0.1" ] && echo ${server.token.value}`);
  expect((await sync()).sync).toMatchObject({ issues: 1, pulled: { created: 1 } });
  writeGh('echo "no oauth token found for 127.0.0.1" >&2; exit 1');
  expect((await sync()).error).toMatchObject({
    code: 'E_GITHUB_DENIED',
    message: 'There is no token for GitHub',
    details: { manual: 'Set GITHUB_TOKEN, or run: gh auth login' },
  });
});

test('prints the changes of each side and the conflicts', async () => {
  const { app, server, sync } = await open(['T001']);
  for (const title of ['Both', 'Done there', 'Done here']) server.addIssue({ title });
  await sync();
  const [both, , done] = await Promise.all([1, 2, 3].map((number) => show(app, `octo/plan#${number}`)));
  await app.call('tasks.update', { taskId: both!.id, title: 'Ours' });
  await app.call('tasks.complete', { taskId: done!.id });
  server.editIssue(1, { title: 'Theirs' });
  server.editIssue(2, { state: 'closed', state_reason: 'completed' });
  server.addIssue({ title: 'New there' });
  const { out } = await app.cli(['sync', 'github', '--repo', 'octo/plan', '--push', 'T001', '--human']);
  expect(out.replace(/\u001b\[\d+m/g, '').split('\n\n')).toMatchInlineSnapshot(`
    [
      "octo/plan  4 issues
    here    1 created, 1 updated, 2 unchanged
    GitHub  1 created, 2 updated",
      "changes here
      TITLE       CHANGE  TASK  ISSUE
      New there   new     T005  octo/plan#4
      Done there  closed  T003  octo/plan#2",
      "changes on GitHub
      TITLE      CHANGE   TASK  ISSUE        FIELDS
      Task T001  new      T001
      Ours       changed  T002  octo/plan#1  title
      Done here  closed   T004  octo/plan#3  state",
      "conflicts
      ID           TASK  FIELD  KEPT
      octo/plan#1  T002  title  ours",
      "created T005 · updated T003, T001
    ",
    ]
  `);
});

test('a sync that hits the rate limit continues where it stopped', async () => {
  const { app, server, sync } = await open();
  for (let i = 0; i < 450; i += 1) server.addIssue();
  server.remaining = 4;
  const stopped = await sync();
  expect(stopped.error).toMatchObject({ code: 'E_GITHUB_RATE_LIMIT', exitCode: 7 });
  expect(stopped.error.fix).toBe('cleo sync github --repo octo/plan');
  server.remaining = 4;
  expect((await sync()).sync.pulled.created).toBe(450);
  expect((await app.call('tasks.list', { limit: 1 }))._meta.truncated.total).toBe(450);
});

test('short limits are waited for, and an outage is retried', async () => {
  const { server, sync } = await open();
  server.addIssue();
  // The wait for an outage grows with the attempts, so it comes first.
  server.failures.push(
    { match: /GET .*issues\?/, status: 502 },
    {
      match: /GET .*issues\?/,
      status: 403,
      headers: { 'retry-after': '0' },
      body: { message: 'You have exceeded a secondary rate limit' },
    },
    { match: /GET .*issues\/comments/, status: 0 },
  );
  expect((await sync()).sync.pulled.created).toBe(1);
});

test('deleted and transferred issues are reported, and their tasks stay', async () => {
  const { app, server, sync } = await open();
  for (let i = 0; i < 3; i += 1) server.addIssue();
  await sync();
  const id = (await show(app, 'octo/plan#1')).id;
  server.editIssue(1, { gone: 'deleted' });
  server.editIssue(2, { gone: { transferredTo: 'octo/other#7' } });
  await app.call('tasks.update', { taskId: id, title: 'Changed here' });
  for (let i = 0; i < 2; i += 1) {
    const { losses } = await sync();
    expect(losses).toEqual([
      { id: 'octo/plan#1', field: 'task', why: expect.stringMatching(/^deleted on GitHub; T\d+ stays as it is$/) },
      { id: 'octo/plan#2', field: 'task', why: expect.stringMatching(/^transferred to .*; T\d+ stays as it is$/) },
    ]);
  }
  expect((await show(app, id)).title).toBe('Changed here');
  expect(listWrites(server)).toEqual([]);
  expect(server.log.filter((line) => /GET .*issues\/[12] /.test(line)).length).toBe(2);
});

test('a token without rights is an error that says what to do; what was read stays', async () => {
  const { app, server, sync } = await open(['T001']);
  server.addIssue();
  await sync();
  server.token.canWrite = false;
  const denied = await sync({ push: ['T001'] });
  expect(denied.error).toMatchObject({
    code: 'E_GITHUB_DENIED',
    exitCode: 8,
    details: { manual: expect.stringContaining('Issues: read and write') },
  });
  server.token.canWrite = true;
  server.failures.push({
    match: /GET/,
    status: 403,
    headers: { 'x-github-sso': 'required; url=https://github.com/orgs/octo/sso' },
    body: {},
  });
  expect((await sync()).error.message).toContain('single sign-on');
  server.token.value = 'another';
  expect((await sync()).error).toMatchObject({ code: 'E_GITHUB_DENIED', message: 'GitHub does not accept the token' });
  expect((await app.call('sync.github', { repo: 'octo/none' })).error.code).toBe('E_GITHUB_DENIED');
  const text = JSON.stringify(await app.call('admin.audit.list', { limit: 50 }));
  expect(text).not.toContain('test-token-of-octo');
  expect((await sync({ push: ['T001'], pullOnly: true })).error.code).toBe('E_INVALID_INPUT');
});

test('an issue that was created but not recorded is found by its marker', async () => {
  const { app, server, sync } = await open(['T001']);
  server.failures.push({ match: /POST .*issues$/, status: 502, isExecuted: true });
  expect((await sync({ push: ['T001'] })).error.code).toBe('E_GITHUB_UNREACHABLE');
  expect(server.issues.size).toBe(1);
  await app.call('tasks.update', { taskId: 'T001', notes: 'Since then' });
  await sync({ push: ['T001'] });
  expect([server.issues.size, server.comments.length]).toEqual([1, 1]);
  expect((await app.call('tasks.list', {})).tasks).toHaveLength(1);
  expect((await show(app, 'octo/plan#1')).id).toBe('T001');
});

test('a marker that somebody else wrote does not link an issue to a task', async () => {
  const { app, server, sync } = await open(['T001']);
  const uid = await app.store.read(async ({ tasks }) => (await tasks.get('T001'))!.uid);
  server.addIssue({ title: 'Fake', body: `Text\n\n<!-- cleo-task ${uid} -->` });
  await sync();
  expect((await app.call('tasks.list', {})).tasks).toHaveLength(2);
  expect((await show(app, 'octo/plan#1')).id).toBe('T002');
});

test('texts with a secret are not written to GitHub', async () => {
  const { app, server, sync } = await open(['T001']);
  server.addIssue();
  await sync();
  const { id } = await show(app, 'octo/plan#1');
  await app.call('tasks.update', { taskId: id, notes: `token ghp_${'a1B2'.repeat(9)}` });
  const { losses } = await sync();
  expect(losses).toEqual([{ id, field: 'notes', why: expect.stringContaining('secret') }]);
  expect(server.comments).toEqual([]);
});

test('two syncs with the same repository do not run at the same time', async () => {
  const { server, sync } = await open(['T001']);
  const codes = (await Promise.all([sync({ push: ['T001'] }), sync({ push: ['T001'] })])).map(({ error }) => error?.code);
  expect(codes.filter((code) => code === 'E_GITHUB_BUSY').length).toBeLessThan(2);
  expect(codes.every((code) => code === undefined || code === 'E_GITHUB_BUSY')).toBe(true);
  expect(server.issues.size).toBe(1);
  expect((await sync())._meta.exitCode).toBe(102);
});
