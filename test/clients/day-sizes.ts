import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { type TestClient, writeFile } from './client.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { createProject, expectSuccess } from './project.ts';
import { runAsPerson } from './scratch.ts';
import { recordFigure } from './transcript.ts';

const maxDayBytes = 4500;
/** The listing of the tools and the first help. */
const maxLearntBytes = 5000;
const maxListingBytes = 2500;

/** Operations of an ordinary day. `admin.help {}` has to say enough to call each of them. */
const everyday = `tasks.add tasks.find tasks.show tasks.list tasks.update tasks.start tasks.complete tasks.next tasks.exists
  session.list session.start session.status session.end verify.gate`.split(/\s+/);

/** Bytes that the model reads and writes, counted on what the client sent to the model API. */
export function describeSizes(client: TestClient): void {
  test(`the standard day takes at most ${maxDayBytes} bytes`, async () => {
    const scratch = await createProject(client);
    writeFile(join(scratch.project, 'quokka.txt'), 'SECT\n');
    const add = ['add', 'Read the quokka file format', '--description', 'Sections and their lengths', '--accept-evidence', 'implemented'];
    await runAsPerson(scratch, add);
    const chat = await openConversation(client, scratch);
    const bytes = await playStandardDay(chat);
    await chat.end();
    recordFigure(client.name, 'standard day, bytes', bytes);
    expect(bytes).toBeLessThanOrEqual(maxDayBytes);
  });

  test(`tools and admin.help teach ${everyday.length} everyday operations in at most ${maxLearntBytes} bytes`, async () => {
    const scratch = await createProject(client);
    const chat = await openConversation(client, scratch);
    const listing = Buffer.byteLength(JSON.stringify(chat.readTools()));
    const help = expectSuccess(await chat.query('admin.help', {}));
    await chat.end();
    recordFigure(client.name, 'tools as passed on, bytes', listing);
    recordFigure(client.name, 'admin.help {}, bytes', help.receivedBytes);
    expect(chat.readTools()).toHaveLength(2);
    expect(listing).toBeLessThanOrEqual(maxListingBytes);
    expect(everyday.filter((name) => !new RegExp(`${name.replace('.', '\\W+')}\\W*\\{`).test(help.text))).toEqual([]);
    expect(listing + help.receivedBytes).toBeLessThanOrEqual(maxLearntBytes);
  });
}

/** Lists sessions, starts, finds, shows, focuses, completes with evidence, asks for the next task and ends. */
async function playStandardDay(chat: Conversation): Promise<number> {
  const steps: ['query' | 'mutate', string, Json][] = [
    ['query', 'session.list', {}],
    ['mutate', 'session.start', { scope: 'global', autoFocus: true, name: 'Quokka' }],
    ['query', 'tasks.find', { query: 'quokka file format' }],
    ['query', 'tasks.show', { taskId: 'T003' }],
    ['mutate', 'tasks.start', { taskId: 'T003' }],
    ['mutate', 'verify.gate', { taskId: 'T003', gate: 'implemented', evidence: 'files:quokka.txt' }],
    ['mutate', 'tasks.complete', { taskId: 'T003' }],
    ['query', 'tasks.next', {}],
    ['mutate', 'session.end', { note: 'The format is read; writing it is next' }],
  ];
  let bytes = 0;
  for (const [gateway, operation, params] of steps) {
    const answer = expectSuccess(await chat[gateway](operation, params));
    bytes += answer.sentBytes + answer.receivedBytes;
  }
  return bytes;
}
