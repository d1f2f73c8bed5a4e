import { expect, test } from 'vitest';
import { describeClients } from '../../src/sessions/model/agent-clients.ts';
import { findClientOfProcess } from '../../src/sessions/rules/client-process.ts';
import type { TestClient } from './client.ts';
import { openConversation } from './conversation.ts';
import { installProbe, type ProbedCall, readProbe, type Surface } from './probe.ts';
import { createProject, expectSuccess } from './project.ts';
import { recordFigure } from './transcript.ts';

/** Surfaces that a conversation without a terminal uses. The status line needs one. */
const surfaces: Surface[] = ['server', 'shell', 'hook'];

/** The table of clients in `src/sessions/model/agent-clients.ts` agrees with the facts that the surfaces of a real client have. */
export function describeFacts(client: TestClient): void {
  const row = describeClients().find(({ name }) => name === client.name);

  test('its surfaces know what the table of clients says', async () => {
    const scratch = await createProject(client);
    installProbe(scratch);
    for (const isResumed of [false, true]) {
      const chat = await openConversation(client, scratch, { isResumed });
      expectSuccess(await chat.query('tasks.show', { taskId: 'T1' }));
      expectSuccess(await chat.shell('cleo show T1'));
      await chat.end();
    }
    const calls = readProbe(scratch);
    for (const surface of surfaces) {
      const seen = calls.filter((call) => call.surface === surface);
      const declared = row?.surfaces?.[surface];
      recordFigure(client.name, `${surface} knows`, seen.length === 0 ? '-' : [...new Set(seen.flatMap(listFacts))].join(', '));
      expect(seen.length > 0, `${surface} is used`).toBe(declared !== undefined);
      for (const call of seen) expect(listFacts(call)).toEqual(expect.arrayContaining(listDeclaredFacts(declared ?? '')));
    }
    if (row?.surfaces?.statusline) recordFigure(client.name, 'statusline knows', row.surfaces.statusline);
    // The same conversation has the same id on every surface that has one, before and after the restart; a server that was started
    // with a provisional one is the exception.
    const ids = calls.filter(({ surface }) => surface !== 'server').flatMap((call) => listIds(call, row?.conversations ?? []));
    expect(new Set(ids).size).toBe(row?.conversations.length === 0 ? 0 : ids.length > 0 ? 1 : 0);
  });

  /** The facts of one call, in the words of the table. */
  function listFacts({ surface, variables, input, ancestors }: ProbedCall): string[] {
    const names = [...(row?.conversations ?? []), ...(row?.marks ?? [])];
    return [
      ...names.filter((name) => name in variables),
      ...(surface === 'server'
        ? (row?.requestKeys ?? []).filter((key) => input.length > 0 && input.every((meta) => key in meta)).map((key) => `_meta.${key}`)
        : []),
      ...(surface === 'hook' && input[0] && 'session_id' in input[0] ? ['session_id'] : []),
      ...(ancestors.some(isOurClient) ? ['process'] : []),
    ];
  }

  const isOurClient = (command: string): boolean => {
    const argv = command.split(' ');
    return findClientOfProcess({ pid: 1, parentPid: 0, startTime: '', name: '', executable: '', argv }) === client.name;
  };
}

const listDeclaredFacts = (text: string): string[] => text.match(/[A-Z][A-Z_]{3,}|_meta\.\w+|\bsession_id\b|\bprocess\b/g) ?? [];

function listIds({ variables, input }: ProbedCall, names: string[]): string[] {
  const [first] = names.flatMap((name) => variables[name] ?? []);
  return [first, input[0]?.session_id as string | undefined].filter((id) => id !== undefined);
}
