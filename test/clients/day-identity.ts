import { expect, test } from 'vitest';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { createProject, expectSuccess, listAgents, showTask } from './project.ts';

/** One conversation is one agent on MCP and in its shell; two conversations are two. */
export function describeIdentity(client: TestClient): void {
  test('claims over MCP, sees the focus in its shell and completes there', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    expect(expectSuccess(await chat.query('tasks.show', { taskId: 'T1' })).envelope.task).toMatchObject({ title: 'Write the parser' });
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T1' }));
    expect(expectSuccess(await chat.shell('cleo focus show')).envelope).toMatchObject({ task: { id: 'T001' } });
    const briefing = await chat.shell('cleo briefing --human');
    expect(briefing.out).toMatch(/focus\W+T001/i);
    expectSuccess(await chat.shell('cleo complete T1'));
    await chat.end();
    expect(await showTask(scratch, 'T1')).toMatchObject({ status: 'done' });
    const [holder, ...others] = await listAgents(scratch, 'tasks.start');
    expect(others).toEqual([]);
    expect(holder).toMatch(new RegExp(`^${client.name}-`));
    expect(await listAgents(scratch, 'tasks.complete')).toEqual([holder]);
  });

  test('claims in its shell and completes over MCP', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    expectSuccess(await chat.shell('cleo start T1'));
    expect(expectSuccess(await chat.query('tasks.current')).envelope).toMatchObject({ task: { id: 'T001' } });
    expectSuccess(await chat.mutate('tasks.complete', { taskId: 'T1' }));
    await chat.end();
    expect(await listAgents(scratch, 'tasks.complete')).toEqual(await listAgents(scratch, 'tasks.start'));
  });

  test('keeps one session over MCP and in its shell', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    const { session } = expectSuccess(await chat.mutate('session.start', { scope: 'global', autoFocus: true, name: 'Day' })).envelope;
    expect(expectSuccess(await chat.shell('cleo session status')).envelope).toMatchObject({ session: { id: session.id } });
    expect(expectSuccess(await chat.shell('cleo add "Write the linter" --description "Reports errors"')).envelope._meta).toMatchObject({
      sessionId: session.id,
    });
    expectSuccess(await chat.shell('cleo session end --note "Tomorrow the printer"'));
    await chat.end();
  });

  test('two conversations side by side are two agents', async () => {
    const scratch = await createProject(client);
    const first = await openConversation(client, scratch);
    expectSuccess(await first.mutate('tasks.start', { taskId: 'T1' }));
    const second = await openConversation(client, scratch, { label: 'second' });
    for (const refused of [await second.mutate('tasks.start', { taskId: 'T1' }), await second.shell('cleo complete T1')])
      expect(refused.envelope.error).toMatchObject({ exitCode: 35, details: { taskId: 'T001' } });
    expectSuccess(await second.mutate('tasks.start', { taskId: 'T2' }));
    // The second conversation does not change what the first one holds, on either surface.
    expectSuccess(await first.shell('cleo complete T1'));
    expectSuccess(await second.shell('cleo complete T2'));
    await second.end();
    await first.end();
    expect(await listAgents(scratch, 'tasks.start')).toHaveLength(2);
    expect(await listAgents(scratch, 'tasks.complete')).toEqual(await listAgents(scratch, 'tasks.start'));
  });
}
