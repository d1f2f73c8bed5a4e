import type { Status, TaskId } from '#core/model/scalars.ts';
import { type ProtocolName, protocolTable } from '#skills/model/protocol.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { isLinked } from './manifest.ts';
import { checkOutput, type OutputFile } from './output-file.ts';
import { type ProtocolRule, type ProtocolWork, protocolRules } from './protocol-rules.ts';
import { parseReturnMessage } from './return-message.ts';

export interface ProtocolFinding {
  rule: string;
  result: 'pass' | 'fail' | 'warn';
  message: string;
}

/** Recorded facts about how a task was done. */
export interface ProtocolFacts {
  task: ProtocolWork['task'] & { status: Status };
  getEpic: (taskId: TaskId) => TaskId | undefined;
  /** The last spawn of a worker for the task. */
  spawn?: { agent: string; session?: string; hasProtocol: boolean };
  protocol?: ProtocolName;
  entry?: ParsedEntry;
  /** Number of manifest lines with the id of the entry. */
  lines: number;
  /** Linked tasks that do not exist. */
  unknownTasks: TaskId[];
  output?: OutputFile;
  /** Epoch milliseconds of the last change of the file and of the addition of the entry, if known. */
  writtenAt?: number;
  addedAt?: number;
  message?: string;
  /** Focus and completion of the task by agents, in log order. */
  acts: { act: 'focus' | 'complete'; agent: string; seq: number }[];
  parts: ProtocolWork['parts'];
}

/** Rule without an id in the protocols: the prompt of the subagent contained the protocol. */
const spawnRuleId = 'SPAWN-001';

/** Checks how a task was done, rule by rule. A rule that the recorded facts cannot decide is a warning, never a pass. */
export function checkProtocol(facts: ProtocolFacts): ProtocolFinding[] {
  return [...baseChecks.map(([rule, check]) => ({ rule, ...check(facts) })), ...checkProtocolRules(facts)];
}

type Verdict = Omit<ProtocolFinding, 'rule'>;
const pass = (message: string): Verdict => ({ result: 'pass', message });
const fail = (message: string): Verdict => ({ result: 'fail', message });
const warn = (message: string): Verdict => ({ result: 'warn', message });
const noEntryMessage = 'there is no entry to check';

function checkPromptProtocol({ spawn }: ProtocolFacts): Verdict {
  if (!spawn) return fail('was never spawned, so no agent received its protocol');
  return spawn.hasProtocol ? pass(`${spawn.agent} received the protocol`) : fail(`was spawned for ${spawn.agent} without its protocol`);
}

function checkManifestEntry({ entry, lines }: ProtocolFacts): Verdict {
  if (!entry) return fail('the manifest has no entry for it');
  return lines > 1 ? warn(`${entry.id} is on ${lines} lines; the last one is used`) : pass(entry.id);
}

function checkReturnMessage({ message, entry, protocol }: ProtocolFacts): Verdict {
  if (message === undefined) return warn('there is no return message to check');
  const parsed = parseReturnMessage(message);
  if (!parsed) return fail('does not match any of the three forms');
  if (entry && parsed.status !== entry.status) return fail(`says ${parsed.status}; its entry says ${entry.status}`);
  const title = protocol && protocolTable[protocol].title;
  return title && parsed.type !== title ? warn(`says ${parsed.type}; its protocol is ${title}`) : pass(message.trim());
}

export const isIncomplete = (entry: ParsedEntry | undefined): boolean => entry !== undefined && entry.status !== 'complete';

function checkCompletion({ task, entry, spawn, acts }: ProtocolFacts): Verdict {
  if (isIncomplete(entry))
    return task.status === 'done'
      ? fail(`is done, but its entry says ${entry?.status}`)
      : pass(`is open, and its entry says ${entry?.status}`);
  if (task.status !== 'done') return fail(`is ${task.status}, not done`);
  const last = acts.findLast(({ act }) => act === 'complete');
  if (!last) return warn('is done, but the log does not show by which agent');
  return spawn && last.agent !== spawn.agent
    ? fail(`was completed by ${last.agent}, not by ${spawn.agent}`)
    : pass(`completed by ${last.agent}`);
}

function checkOutputFile({ entry, output, writtenAt, addedAt, getEpic }: ProtocolFacts): Verdict {
  if (!entry) return warn(noEntryMessage);
  if (!output) return fail(`${entry.file} is missing`);
  if (output.text.trim() === '') return fail(`${entry.file} is empty`);
  const [first] = checkOutput(output, entry, getEpic).filter(({ isContradiction }) => !isContradiction);
  if (first) return warn(`${entry.file} ${first.problem}`);
  if (writtenAt !== undefined && addedAt !== undefined && writtenAt > addedAt + 1000)
    return warn(`${entry.file} was changed after its entry was added`);
  return pass(entry.file);
}

function checkFocus({ acts, spawn }: ProtocolFacts): Verdict {
  const completedSeq = acts.findLast(({ act }) => act === 'complete')?.seq ?? Number.POSITIVE_INFINITY;
  const agentPrefix = spawn ? `${spawn.agent} ` : '';
  const focus = acts.find(({ act, agent, seq }) => act === 'focus' && seq < completedSeq && (!spawn || agent === spawn.agent));
  return focus ? pass(`${focus.agent} focused it`) : fail(`${agentPrefix}never focused it before completion`);
}

function checkConsistency({ entry, output, unknownTasks, getEpic }: ProtocolFacts): Verdict {
  if (!entry) return warn(noEntryMessage);
  if (unknownTasks.length > 0) return fail(`the entry links unknown tasks: ${unknownTasks.slice(0, 5).join(', ')}`);
  const [first] = output ? checkOutput(output, entry, getEpic).filter(({ isContradiction }) => isContradiction) : [];
  return first ? fail(`${entry.file} ${first.problem}`) : pass('file, entry and tasks agree');
}

function checkLink({ entry, task }: ProtocolFacts): Verdict {
  if (!entry) return warn(noEntryMessage);
  return isLinked(entry, task.id) ? pass(`${entry.id} is linked`) : warn(`${entry.id} is not linked to ${task.id}`);
}

const baseChecks: [string, (facts: ProtocolFacts) => Verdict][] = [
  [spawnRuleId, checkPromptProtocol],
  ['BASE-001', checkManifestEntry],
  ['BASE-002', checkReturnMessage],
  ['BASE-003', checkCompletion],
  ['BASE-004', checkOutputFile],
  ['BASE-005', checkFocus],
  ['BASE-006', checkConsistency],
  ['BASE-007', checkLink],
];

/** Checks the rules of the task's protocol. For partial or blocked work, a broken MUST rule is only a warning. */
function checkProtocolRules({ protocol, entry, output, task, parts }: ProtocolFacts): ProtocolFinding[] {
  if (!protocol) return [];
  const judge = ({ isMust, check }: ProtocolRule): Verdict => {
    if (!entry || !output) return warn(entry ? 'there is no output file to check' : noEntryMessage);
    const message = check({ task, entry, output, parts });
    if (!message) return pass('followed');
    return isMust && entry.status === 'complete' ? fail(message) : warn(message);
  };
  return protocolRules[protocol].map((rule) => ({ rule: rule.id, ...judge(rule) }));
}

/** Finds the worst failure and its exit code: no protocol in the prompt (60), no entry (62), a wrong return message (61), the rest (6). */
export function findWorst(findings: ProtocolFinding[]): { exit: 60 | 61 | 62 | 6; finding: ProtocolFinding } | undefined {
  const failed = findings.filter(({ result }) => result === 'fail');
  for (const [rule, exit] of exitByRule) {
    const finding = failed.find((one) => one.rule === rule);
    if (finding) return { exit, finding };
  }
  return failed[0] && { exit: 6, finding: failed[0] };
}

const exitByRule: [string, 60 | 61 | 62][] = [
  [spawnRuleId, 60],
  ['BASE-001', 62],
  ['BASE-002', 61],
];
