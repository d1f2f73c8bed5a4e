import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../src/core/index.generated.ts';
import type { Envelope } from '../../src/dispatch/dispatch.ts';
import { isPlainObject } from '../../src/lib/collections.ts';
import { parseJson } from '../../src/lib/parse-json.ts';
import { addCalls } from '../../src/surfaces/cli/error-calls.ts';
import { copyFolders, type FolderCopy, isInFolder, removeFolder } from './folders.ts';
import { compareCall, type FailedCall, followCancelled, followCommand, type Trail } from './follow.ts';
import { getRunFolder } from './run-folder.ts';
import { type CallerContext, type ErrorBody, runWords } from './run-line.ts';

/** `full` follows every error of every test. By default each kind of error is followed once per test run, in the tests of operations. */
const mode = process.env.CLEO_FIXES ?? (process.env.CLEO_TEST_ENGINE === 'sqlite' ? 'kinds' : 'off');
const isFull = mode === 'full';

/** Following the errors of a property test takes long. */
export const endTimeoutMs = 1_800_000;

const recorded: { failed: FailedCall; copy: FolderCopy }[] = [];
const problems: string[] = [];
const seen = new Set<string>();
let isFollowing = false;

/** Fails the running test when it ends. */
export const addProblem = (problem: string): void => void problems.push(problem);

/** Stores a failed call together with a copy of the test's folders, to follow its fix when the test has ended. */
export function recordError(failed: FailedCall): void {
  if (isFollowing || mode === 'off') return;
  if (failed.caller.env.CLEO_DATABASE_URL || !isInFolder(failed.caller.folder)) return;
  const key = isFull ? JSON.stringify([failed.operation, failed.error, failed.caller.folder]) : toKind(failed);
  if (seen.has(key)) return;
  seen.add(key);
  if (!isFull && !claimKind(key)) return;
  const copy = copyFolders(failed.caller.folder);
  if (copy) recorded.push({ failed, copy });
}

/** Called when a folder of the test is deleted. After the last one, follows all errors of the test and throws if a fix leads nowhere. */
export async function endFolder(folder: string): Promise<void> {
  if (!removeFolder(folder)) return;
  const errors = recorded.splice(0);
  if (isFull) seen.clear();
  isFollowing = true;
  try {
    for (const { failed, copy } of errors) {
      try {
        await followError(failed, copy);
      } finally {
        copy.remove();
      }
    }
  } finally {
    isFollowing = false;
  }
  const all = problems.splice(0);
  if (all.length > 0) throw new Error(all.join('\n'));
}

async function followError(failed: FailedCall, copy: FolderCopy): Promise<void> {
  const { fix, call, alternatives = [], details } = await failed.addCalls();
  const ways = [{ command: fix, call: details?.manual ? undefined : call, isFix: true }];
  for (const { command, call } of alternatives)
    if (ways.every((way) => way.command !== command)) ways.push({ command, call, isFix: false });
  for (const { command, call, isFix } of ways) {
    copy.restore();
    const isCancelled = failed.isCancelled && isFix && call !== undefined;
    const trail = isCancelled ? await followCancelled(failed, command, call) : await followCommand(failed, command, isFix);
    reportTrail(failed, trail, isFix);
    if (trail.isDeadEnd) addProblem(formatDeadEnd(failed, trail, isFix));
    // A person at a terminal may do more than a client.
    if (!call || isCancelled || trail.steps.length === 0 || failed.caller.isAtTerminal) continue;
    copy.restore();
    const difference = await compareCall(failed, call, trail);
    if (difference) addProblem(formatDeadEnd(failed, { ...trail, end: difference }, isFix));
  }
}

/** Records the error that the command line printed. */
export function recordOutput(words: string[], caller: CallerContext, out: string): void {
  const envelope = out.startsWith('{') && out.endsWith('}\n') ? (parseJson(out) as Envelope | undefined) : undefined;
  if (!isPlainObject(envelope) || !envelope.error) return;
  const error = envelope.error as ErrorBody;
  recordError({
    operation: envelope._meta.command,
    describe: () => words.join(' '),
    caller,
    error,
    addCalls: async () => (await addCalls({ registry }, { envelope }, {})).error as ErrorBody,
    // Words that do not parse cannot succeed, and standard input is gone.
    repeat: error.exitCode === 2 || words.includes('-') ? undefined : (later) => runWords(later, words),
  });
}

function formatDeadEnd({ operation, describe, error }: FailedCall, { steps, end }: Trail, isFix: boolean): string {
  return [
    `a fix that leads nowhere: ${operation} ${describe().slice(0, 300)}: ${error.code} (${error.exitCode}) ${error.message.slice(0, 200)}`,
    ...steps.map(({ command, exitCode }, i) => `  ${i === 0 ? (isFix ? 'fix' : 'or ') : 'then'} ${command} → ${exitCode}`),
    `  ${end}`,
  ].join('\n');
}

/** Describes an error without the values of one test: operation, code, and the form of its commands and details. */
function toKind({ operation, error }: FailedCall): string {
  const commands = [error.fix, ...(error.alternatives ?? []).map(({ command }) => command)].map(toForm);
  return JSON.stringify([operation, error.code, commands, Object.keys(error.details ?? {}).sort()]);
}

const toForm = (command: string): string =>
  command
    .split(' ')
    .map((word, i) => (/^--?[a-z]/.test(word) ? word.replace(/=.*/, '=') : i < 3 && /^[a-z-]+$/.test(word) ? word : '_'))
    .join(' ')
    .replaceAll(/_( _)+/g, '_');

/** Returns true for the first process of this test run that asks. */
function claimKind(key: string): boolean {
  const folder = getRunFolder(process.ppid);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, createHash('sha256').update(key).digest('hex')), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function reportTrail({ operation, describe, error }: FailedCall, { steps, end, isDeadEnd }: Trail, isFix: boolean): void {
  const report = process.env.CLEO_FIXES_REPORT;
  if (!report) return;
  const { code, message } = error;
  const line = { operation, input: describe().slice(0, 300), code, message: message.slice(0, 200), isFix, isDeadEnd, end, steps };
  appendFileSync(report, `${JSON.stringify(line)}\n`);
}
