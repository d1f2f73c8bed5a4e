import { expect, test } from 'vitest';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { createProject, expectPrompt, expectSuccess, listAgents, showTask } from './project.ts';

/** Clients whose hooks `cleo setup` writes. */
const hasHooks = ({ name }: TestClient): boolean => name !== 'opencode';

/** The briefing reaches the model through the client's hooks, and a hook acts as the agent of its conversation. */
export function describeHooks(client: TestClient): void {
  test.runIf(hasHooks(client))('the briefing of SessionStart reaches the model, after a resume with the focus', async () => {
    const scratch = await createProject(client);
    const first = await openConversation(client, scratch);
    expectPrompt(first, /Where we are[\s\S]*Write the parser/);
    expectSuccess(await first.mutate('tasks.start', { taskId: 'T2' }));
    await first.end();
    const chat = await openConversation(client, scratch, { isResumed: true });
    expectPrompt(chat, /focus\W+T002/i);
    await chat.end();
  });

  test.runIf(hasHooks(client))('a hook adds a note as the agent of the conversation', async () => {
    const scratch = await createProject(client);
    client.addHook?.(scratch, 'cleo update --notes "Noted by a hook" >/dev/null');
    const chat = await openConversation(client, scratch);
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T1' }));
    await chat.end();
    expect(JSON.stringify(await showTask(scratch, 'T1'))).toContain('Noted by a hook');
    expect(await listAgents(scratch, 'tasks.update')).toEqual(await listAgents(scratch, 'tasks.start'));
  });

  test.runIf(client.name === 'claude')('a compaction preserves the focus', async () => {
    const scratch = await createProject(client);
    const first = await openConversation(client, scratch);
    expectSuccess(await first.mutate('tasks.start', { taskId: 'T2' }));
    for (const taskId of ['T1', 'T2']) await first.query('tasks.show', { taskId });
    await first.end();
    // Claude Code does not compact a conversation of one turn.
    const next = await openConversation(client, scratch, { isResumed: true, prompt: 'go on' });
    await next.query('tasks.current');
    await next.end();
    const compaction = await openConversation(client, scratch, { isResumed: true, prompt: '/compact', label: 'compact' });
    // Output of PreCompact is part of the prompt that asks for the summary.
    expectPrompt(compaction, /Additional Instructions[\s\S]*focus\W+T002/i);
    await compaction.end();
    const chat = await openConversation(client, scratch, { isResumed: true });
    expectPrompt(chat, /focus\W+T002/i);
    expectSuccess(await chat.shell('cleo complete T2'));
    await chat.end();
  });
}
