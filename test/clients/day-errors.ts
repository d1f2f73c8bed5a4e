import { expect, test } from 'vitest';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { createProject, expectSuccess } from './project.ts';

/** Errors over MCP contain the call that solves them; arguments that clients add are accepted. */
export function describeErrors(client: TestClient): void {
  test('an error contains the call that solves it', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    const cases: ['query' | 'mutate', string, object][] = [
      ['mutate', 'tasks.complete', {}],
      ['query', 'tasks.show', { taskId: 'T99' }],
      ['query', 'tasks.shwo', { taskId: 'T1' }],
      ['query', 'tasks.start', { taskId: 'T1' }],
      ['mutate', 'tasks.add', { titel: 'Write the linter', description: 'Reports errors' }],
      ['mutate', 'session.start', { scope: 'epic:T1' }],
    ];
    for (const [gateway, operation, params] of cases) {
      const refused = await chat[gateway](operation, params);
      expect(refused.envelope.success, refused.text).toBe(false);
      expect(refused.envelope.error.call, refused.text).toBeDefined();
      expectSuccess(await chat.followCall(refused.envelope.error.call));
    }
    await chat.end();
  });

  test.runIf(client.name === 'gemini')('wait_for_previous is accepted, true and false', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    expect(chat.readTools()[0]?.parametersJsonSchema?.properties ?? chat.readTools()[0]?.parameters?.properties).toHaveProperty(
      'wait_for_previous',
    );
    const start = { domain: 'tasks', operation: 'start', params: { taskId: 'T1' } };
    for (const isWaiting of [true, false])
      for (const answer of await chat.callTogether([
        { gateway: 'mutate', args: { ...start, wait_for_previous: isWaiting } },
        { gateway: 'query', args: { domain: 'tasks', operation: 'show', params: { taskId: 'T1' }, wait_for_previous: isWaiting } },
      ])) {
        expectSuccess(answer);
        expect(answer.text).not.toContain('wait_for_previous');
      }
    await chat.end();
  });
}
