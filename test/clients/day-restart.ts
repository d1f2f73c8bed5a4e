import { expect, test } from 'vitest';
import type { Json } from '../app.ts';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { createProject, expectSuccess, listAgents, showTask } from './project.ts';

/** The ids of a conversation survive a restart in these clients. OpenCode passes none on. */
const hasConversationIds = ({ name }: TestClient): boolean => name !== 'opencode';

/** A client that is killed and resumed continues with its task. */
export function describeRestart(client: TestClient): void {
  test.runIf(hasConversationIds(client))('killed while its shell runs, it resumes with the same task on both surfaces', async () => {
    const scratch = await createProject(client);
    const killed = await openConversation(client, scratch);
    expectSuccess(await killed.mutate('tasks.start', { taskId: 'T1' }));
    await killed.startShell('sleep 300');
    await killed.kill();
    const chat = await openConversation(client, scratch, { isResumed: true });
    // The same agent has the claim back at once, on the surface that it uses first.
    expectSuccess(await chat.mutate('tasks.update', { taskId: 'T1', notes: 'Resumed over MCP' }));
    expect(expectSuccess(await chat.query('tasks.current')).envelope).toMatchObject({ task: { id: 'T001' } });
    expect(expectSuccess(await chat.shell('cleo focus show')).envelope).toMatchObject({ task: { id: 'T001' } });
    expectSuccess(await chat.shell('cleo stop T1'));
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T1' }));
    expectSuccess(await chat.shell('cleo complete T1'));
    await chat.end();
    expect(await showTask(scratch, 'T1')).toMatchObject({ status: 'done' });
    expect(await listAgents(scratch, 'tasks.start')).toHaveLength(1);
    expect(await listAgents(scratch, 'tasks.complete')).toEqual(await listAgents(scratch, 'tasks.start'));
  });

  test.runIf(hasConversationIds(client))('resumed after a regular end, it completes its task first in the shell', async () => {
    const scratch = await createProject(client);
    const first = await openConversation(client, scratch);
    expectSuccess(await first.shell('cleo start T1'));
    await first.end();
    const chat = await openConversation(client, scratch, { isResumed: true });
    expectSuccess(await chat.shell('cleo update T1 --notes "Resumed in the shell"'));
    expectSuccess(await chat.mutate('tasks.complete', { taskId: 'T1' }));
    await chat.end();
  });

  test.runIf(!hasConversationIds(client))('killed while its shell runs, its task can be taken over at once', async () => {
    const scratch = await createProject(client);
    const killed = await openConversation(client, scratch);
    expectSuccess(await killed.mutate('tasks.start', { taskId: 'T1' }));
    await killed.startShell('sleep 300');
    await killed.kill();
    const chat = await openConversation(client, scratch, { isResumed: true });
    const refused = await chat.mutate('tasks.start', { taskId: 'T1' });
    expect(refused.envelope.error).toMatchObject({ exitCode: 35, details: { state: 'away' } });
    const { error } = refused.envelope;
    const calls: Json[] = [error, ...error.alternatives].flatMap(({ call }: Json) => call ?? []);
    const takeOver = calls.find(({ params }) => params?.takeOver);
    expect(takeOver).toBeDefined();
    expectSuccess(await chat.followCall(takeOver!));
    expectSuccess(await chat.shell('cleo complete T1'));
    await chat.end();
  });

  test('a session survives the restart', async () => {
    const scratch = await createProject(client);
    const killed = await openConversation(client, scratch);
    const { session } = expectSuccess(await killed.mutate('session.start', { scope: 'global', autoFocus: true, name: 'Day' })).envelope;
    await killed.kill();
    const chat = await openConversation(client, scratch, { isResumed: true });
    // An agent without a conversation id joins its former session by name and gets the claims of the agent that is away.
    if (!hasConversationIds(client)) expectSuccess(await chat.mutate('session.resume', { sessionId: session.id }));
    expect(expectSuccess(await chat.query('session.status')).envelope).toMatchObject({ session: { id: session.id } });
    expect(expectSuccess(await chat.shell('cleo focus show')).envelope).toMatchObject({ task: { id: 'T001' } });
    expectSuccess(await chat.shell('cleo complete T1'));
    expectSuccess(await chat.mutate('session.end', { note: 'Done' }));
    await chat.end();
  });
}
