import { expect } from 'vitest';
import type { Json } from '../app.ts';
import type { Scratch, TestClient } from './client.ts';
import type { Conversation, ShellAnswer, ToolAnswer } from './conversation.ts';
import { createScratch, runAsPerson } from './scratch.ts';

/** A project with two tasks that can be completed without evidence. */
export async function createProject(client: TestClient): Promise<Scratch> {
  const scratch = await createScratch(client);
  await runAsPerson(scratch, ['add', 'Write the parser', '--description', 'Reads the file format']);
  await runAsPerson(scratch, ['add', 'Write the printer', '--description', 'Writes the file format']);
  return scratch;
}

export function expectSuccess<T extends ToolAnswer | ShellAnswer>(answer: T): T {
  expect(answer.envelope, 'text' in answer ? answer.text : answer.out).not.toEqual({});
  expect(answer.envelope.error).toBeUndefined();
  if ('exitCode' in answer) expect(answer.exitCode).toBe(0);
  return answer;
}

/** Fails with the end of the prompt only; a whole prompt has tens of thousands of characters. */
export function expectPrompt(chat: Conversation, pattern: RegExp): void {
  const prompt = chat.readPrompt();
  if (!pattern.test(prompt)) expect.fail(`${pattern} is not in the prompt, which ends with: ${prompt.slice(-1500)}`);
}

export async function showTask(scratch: Scratch, taskId: string): Promise<Json> {
  return JSON.parse(await runAsPerson(scratch, ['show', taskId, '--json'])).task;
}

/** The agents that called an operation, in order, without repetitions. */
export async function listAgents(scratch: Scratch, operation: string): Promise<string[]> {
  const { entries } = JSON.parse(await runAsPerson(scratch, ['log', '--json', '--limit', '200']));
  const names = entries
    .filter((entry: Json) => entry.operation === operation && entry.agent !== 'person')
    .map((entry: Json) => entry.agent as string);
  return [...new Set<string>(names)].sort();
}
