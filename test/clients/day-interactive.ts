import { expect, test } from 'vitest';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { installProbe, readProbe } from './probe.ts';
import { createProject, expectPrompt, expectSuccess, listAgents } from './project.ts';
import { runAsPerson } from './scratch.ts';

/** Claude Code on a terminal: one process and one server for several conversations. */
export function describeInteractive(client: TestClient): void {
  const isPossible = client.name === 'claude' && process.platform === 'linux';

  test.runIf(isPossible)('on a terminal, /clear starts another agent in the same server', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch, { isInteractive: true, label: 'terminal' });
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T1' }));
    chat.reply('Done.');
    await chat.type('/clear');
    await chat.prompt('go');
    expect((await chat.mutate('tasks.complete', { taskId: 'T1' })).envelope.error).toMatchObject({ exitCode: 35 });
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T2' }));
    expectSuccess(await chat.shell('cleo complete T2'));
    await chat.kill();
    expect(await listAgents(scratch, 'tasks.start')).toHaveLength(2);
    expect(await listAgents(scratch, 'tasks.complete')).toHaveLength(1);
  });

  test.runIf(isPossible)('on a terminal, /compact preserves agent and focus', async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch, { isInteractive: true, label: 'terminal' });
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T2' }));
    chat.reply('Done.');
    await chat.prompt('once more');
    expectSuccess(await chat.shell('cleo focus show'));
    chat.reply('Done.');
    await chat.prompt('/compact');
    expectPrompt(chat, /Additional Instructions[\s\S]*focus\W+T002/i);
    chat.reply('The summary.');
    await chat.prompt('go');
    expectPrompt(chat, /focus\W+T002/i);
    expectSuccess(await chat.mutate('tasks.complete', { taskId: 'T2' }));
    await chat.kill();
    expect(await listAgents(scratch, 'tasks.complete')).toEqual(await listAgents(scratch, 'tasks.start'));
  });

  test.runIf(isPossible)('the status line shows the focus of the conversation', async () => {
    const scratch = await createProject(client);
    await runAsPerson(scratch, ['setup', client.name, '--statusline']);
    installProbe(scratch);
    const chat = await openConversation(client, scratch, { isInteractive: true, label: 'terminal' });
    expectSuccess(await chat.mutate('tasks.start', { taskId: 'T1' }));
    chat.reply('Done.');
    await chat.waitForScreen(/T001/);
    await chat.kill();
    const lines = readProbe(scratch).filter(({ surface }) => surface === 'statusline');
    expect(lines.length).toBeGreaterThan(0);
    for (const { input } of lines) expect(input[0]).toHaveProperty('session_id');
  });
}
