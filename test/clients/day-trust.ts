import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listenForConnections, naturalCommands, writeHostileFiles } from '../hostile-project.ts';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { expectPrompt } from './project.ts';
import { createScratch } from './scratch.ts';

/** A clone of a hostile repository, which also commits the set-up of the client. */
export function describeTrust(client: TestClient): void {
  test('a hostile clone: nothing connects, nothing runs, and the model reads why', async () => {
    const server = await listenForConnections();
    const scratch = await createScratch(client);
    for (const path of [join(scratch.project, '.cleo'), join(scratch.home, '.cleo')]) rmSync(path, { recursive: true, force: true });
    const mark = join(scratch.folder, 'ran');
    writeHostileFiles(scratch.project, mark, server.url);
    Object.assign(scratch.env, { PGPASSWORD: 'secret-of-ada', PGCONNECT_TIMEOUT: '2' });
    const chat = await openConversation(client, scratch, { label: 'hostile' });
    if (client.addHook) expectPrompt(chat, /this project is not trusted.*ask a person to run: cleo trust/);
    for (const command of naturalCommands) {
      const { envelope, exitCode, out } = await chat.shell(`cleo ${command} --json`);
      expect([command, envelope.error?.details?.cleoCode ?? envelope.error?.code, exitCode > 0], out).toEqual([
        command,
        'E_PROJECT_UNTRUSTED',
        true,
      ]);
      expect(out).not.toContain('secret-of-ada');
    }
    for (const [call, answer] of [
      ['list', await chat.query('tasks.list')],
      ['show', await chat.query('tasks.show', { taskId: 'T001' })],
      ['add', await chat.mutate('tasks.add', { title: 'Write' })],
      ['verify', await chat.mutate('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: ['tool:test'] })],
    ] as const)
      expect([call, answer.text]).toEqual([call, expect.stringMatching(/E_PROJECT_UNTRUSTED[\s\S]*Ask a person/)]);
    await chat.end();
    expect(server.connections).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });
}
