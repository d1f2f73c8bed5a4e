import { expect, test } from 'vitest';
import { openClients } from '../client-surfaces.ts';

const claude = { client: 'claude', pid: 100 };

test('a claim over MCP is completed in the shell, and the reverse', async () => {
  const { surface } = await openClients();
  const variables = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'a' };
  const [server, shell] = [surface(variables, claude, true), surface(variables, claude)];
  expect(await server('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'claude-a', process: 'here/100/42', exitCode: 0 });
  expect(await shell('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'claude-a', process: 'here/100/42', exitCode: 0 });
  expect(await shell('tasks.start', { taskId: 'T002' })).toMatchObject({ exitCode: 0 });
  expect(await server('tasks.complete', { taskId: 'T002' })).toMatchObject({ exitCode: 0 });
});

test('a server with a provisional id acts as the conversation that the shell records, and nothing stays locked', async () => {
  const { surface } = await openClients();
  const server = surface({ CLAUDE_CODE_SESSION_ID: 'provisional' }, claude, true);
  const shell = surface({ CLAUDE_CODE_SESSION_ID: 'real' }, claude);
  await server('session.start', { scope: 'global', focus: 'T001' });
  expect(await server('tasks.current')).toMatchObject({ agent: 'claude-provisional', exitCode: 0 });
  expect(await shell('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'claude-real', exitCode: 0 });
  expect(await server('tasks.start', { taskId: 'T002' })).toMatchObject({ agent: 'claude-real', exitCode: 0 });
  expect((await shell('session.status')).envelope).toMatchObject({ session: { agent: 'claude-real' }, focus: { id: 'T002' } });
});

test('after /clear the server acts as the new conversation, and the old one keeps its claims', async () => {
  const { surface } = await openClients();
  const server = surface({ CLAUDE_CODE_SESSION_ID: 'a' }, claude, true);
  const statusline = (id: string) =>
    surface({ CLAUDE_CODE_SESSION_ID: id }, claude)('system.context.statusline', { input: { session_id: id } });
  await statusline('a');
  await server('tasks.start', { taskId: 'T001' });
  await statusline('b');
  expect(await server('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'claude-b', exitCode: 35 });
  // The person resumes the first conversation in the same process.
  await statusline('a');
  expect(await server('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'claude-a', exitCode: 0 });
});

test('two conversations of one client are two agents', async () => {
  const { surface } = await openClients();
  const [first, second] = ['a', 'b'].map((id, i) => surface({ CLAUDE_CODE_SESSION_ID: id }, { client: 'claude', pid: 100 + i }));
  expect(await first!('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'claude-a', exitCode: 0 });
  expect(await second!('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'claude-b', exitCode: 35 });
});

test('each call of Codex names its conversation', async () => {
  const { surface, app } = await openClients();
  const codex = { client: 'codex', pid: 200 };
  const server = surface({}, codex, true);
  const shell = surface({ CODEX_THREAD_ID: 'one' }, codex);
  expect(await server('tasks.start', { taskId: 'T001' }, { conversation: { client: 'codex', id: 'one' } })).toMatchObject({
    agent: 'codex-one',
  });
  expect(await server('tasks.start', { taskId: 'T002' }, { conversation: { client: 'codex', id: 'two' } })).toMatchObject({
    agent: 'codex-two',
  });
  expect(await shell('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'codex-one', exitCode: 0 });
  expect(await app.store.write({ at: '', by: '' }, ({ conversations }) => conversations.findProcess('codex-two'))).toBe('here/200/42');
});

test('a read that names its conversation records it', async () => {
  const { surface, app } = await openClients();
  await surface({}, { client: 'codex', pid: 201 }, true)(
    'tasks.show',
    { taskId: 'T001' },
    { conversation: { client: 'codex', id: 'read' } },
  );
  expect(await app.store.read(({ sessions }) => sessions.findNewestConversation('here/201/42'))).toBe('codex-read');
});

test('Gemini CLI is its process until its hook names the conversation', async () => {
  const { surface } = await openClients();
  const gemini = { client: 'gemini', pid: 300 };
  const [server, shell] = [surface({ GEMINI_CLI: '1' }, gemini, true), surface({ GEMINI_CLI: '1' }, gemini)];
  expect(await server('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'gemini-300-42', exitCode: 0 });
  expect(await shell('tasks.update', { taskId: 'T001', status: 'blocked', blockedBy: 'x' })).toMatchObject({ agent: 'gemini-300-42' });
  await surface({ GEMINI_SESSION_ID: 'g' }, gemini)('system.context.statusline', { input: { session_id: 'g' } });
  expect(await shell('tasks.start', { taskId: 'T002' })).toMatchObject({ agent: 'gemini-g', exitCode: 0 });
  expect(await server('tasks.complete', { taskId: 'T002' })).toMatchObject({ agent: 'gemini-g', exitCode: 0 });
});

test('a mark without visible ancestors is the client, never the person', async () => {
  const { surface } = await openClients();
  expect(await surface({ GEMINI_CLI: '1' })('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'gemini', process: undefined });
});

test('a person is the login name and has no process', async () => {
  const { surface } = await openClients();
  const processTable = surface({}, claude);
  expect(await processTable('tasks.start', { taskId: 'T001' })).toMatchObject({ agent: 'sam', process: undefined });
});

test('a conversation that continues in a new process is recorded there', async () => {
  const { surface, gone } = await openClients();
  const variables = { CLAUDE_CODE_SESSION_ID: 'a' };
  expect(await surface(variables, claude)('tasks.start', { taskId: 'T001' })).toMatchObject({ process: 'here/100/42' });
  const later = surface(variables, { client: 'claude', pid: 101 });
  expect(await later('tasks.update', { taskId: 'T001', notes: 'x' })).toMatchObject({ process: 'here/100/42' });
  gone.add('here/100/42');
  expect(await later('tasks.complete', { taskId: 'T001' })).toMatchObject({ agent: 'claude-a', process: 'here/101/42', exitCode: 0 });
});

test('a conversation stays recorded in a process of another host, of which nobody here knows whether it runs', async () => {
  const { surface, hidden } = await openClients();
  const variables = { CLAUDE_CODE_SESSION_ID: 'a' };
  await surface(variables, claude)('tasks.start', { taskId: 'T001' });
  hidden.add('here/100/42');
  const shell = surface(variables, { client: 'claude', pid: 101 });
  expect(await shell('tasks.update', { taskId: 'T001', notes: 'x' })).toMatchObject({ process: 'here/100/42', exitCode: 0 });
});

test('an agent named outright has no process, whatever the request says', async () => {
  const { surface } = await openClients();
  const server = surface({ CLEO_AGENT_ID: 'ada', CLAUDE_CODE_SESSION_ID: 'a' }, claude, true);
  expect(await server('tasks.start', { taskId: 'T001' }, { conversation: { client: 'codex', id: 'x' } })).toMatchObject({
    agent: 'ada',
    process: undefined,
  });
  expect(await server('tasks.start', { taskId: 'T002' }, { agent: 'eve' })).toMatchObject({ agent: 'eve', process: undefined });
});

test('a dry run records nothing', async () => {
  const { surface, app } = await openClients();
  await surface({ CLAUDE_CODE_SESSION_ID: 'a' }, claude)('tasks.delete', { taskId: 'T001', dryRun: true });
  expect(await app.store.read(({ sessions }) => sessions.findNewestConversation('here/100/42'))).toBeUndefined();
});
