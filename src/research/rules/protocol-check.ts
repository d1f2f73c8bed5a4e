import type { Status, TaskId } from '#core/model/scalars.ts';
import { type ProtocolName, protocolTable } from '#skills/model/protocol.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { isLinked } from './manifest.ts';
import { checkOutput, type OutputFile } from './output-file.ts';
import { type ProtocolWork, protocolRules } from './protocol-rules.ts';
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
export const spawnRuleId = 'SPAWN-001';

/** Checks how a task was done, rule by rule. A rule that the recorded facts cannot decide is a warning, never a pass. */
export function checkProtocol(facts: ProtocolFacts): ProtocolFinding[] {
  return [
    checkPromptProtocol(facts),
    checkManifestEntry(facts),
    checkReturnMessage(facts),
    checkCompletion(facts),
    checkOutputFile(facts),
    checkFocus(facts),
    checkConsistency(facts),
    checkLink(facts),
    ...checkProtocolRules(facts),
  ];
}

const pass = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'pass', message });
const fail = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'fail', message });
const warn = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'warn', message });
const noEntryMessage = 'there is no entry to check';

function checkPromptProtocol({ spawn }: ProtocolFacts): ProtocolFinding {
  if (!spawn) return fail(spawnRuleId, 'was never spawned, so no agent received its protocol');
  return spawn.hasProtocol
    ? pass(spawnRuleId, `${spawn.agent} received the protocol`)
    : fail(spawnRuleId, `was spawned for ${spawn.agent} without its protocol`);
}

function checkManifestEntry({ entry, lines }: ProtocolFacts): ProtocolFinding {
  if (!entry) return fail('BASE-001', 'the manifest has no entry for it');
  return lines > 1 ? warn('BASE-001', `${entry.id} is on ${lines} lines; the last one is used`) : pass('BASE-001', entry.id);
}

function checkReturnMessage({ message, entry, protocol }: ProtocolFacts): ProtocolFinding {
  if (message === undefined) return warn('BASE-002', 'there is no return message to check');
  const parsed = parseReturnMessage(message);
  if (!parsed) return fail('BASE-002', 'does not match any of the three forms');
  if (entry && parsed.status !== entry.status) return fail('BASE-002', `says ${parsed.status}; its entry says ${entry.status}`);
  const title = protocol && protocolTable[protocol].title;
  return title && parsed.type !== title
    ? warn('BASE-002', `says ${parsed.type}; its protocol is ${title}`)
    : pass('BASE-002', message.trim());
}

export const isIncomplete = (entry: ParsedEntry | undefined): boolean => entry !== undefined && entry.status !== 'complete';

function checkCompletion({ task, entry, spawn, acts }: ProtocolFacts): ProtocolFinding {
  if (isIncomplete(entry))
    return task.status === 'done'
      ? fail('BASE-003', `is done, but its entry says ${entry?.status}`)
      : pass('BASE-003', `is open, and its entry says ${entry?.status}`);
  if (task.status !== 'done') return fail('BASE-003', `is ${task.status}, not done`);
  const last = acts.findLast(({ act }) => act === 'complete');
  if (!last) return warn('BASE-003', 'is done, but the log does not show by which agent');
  return spawn && last.agent !== spawn.agent
    ? fail('BASE-003', `was completed by ${last.agent}, not by ${spawn.agent}`)
    : pass('BASE-003', `completed by ${last.agent}`);
}

function checkOutputFile({ entry, output, writtenAt, addedAt, getEpic }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-004', noEntryMessage);
  if (!output) return fail('BASE-004', `${entry.file} is missing`);
  if (output.text.trim() === '') return fail('BASE-004', `${entry.file} is empty`);
  const [first] = checkOutput(output, entry, getEpic).filter(({ isContradiction: isContrary }) => !isContrary);
  if (first) return warn('BASE-004', `${entry.file} ${first.problem}`);
  if (writtenAt !== undefined && addedAt !== undefined && writtenAt > addedAt + 1000)
    return warn('BASE-004', `${entry.file} was changed after its entry was added`);
  return pass('BASE-004', entry.file);
}

function checkFocus({ acts, spawn }: ProtocolFacts): ProtocolFinding {
  const completedSeq = acts.findLast(({ act }) => act === 'complete')?.seq ?? Number.POSITIVE_INFINITY;
  const agentPrefix = spawn ? `${spawn.agent} ` : '';
  const focus = acts.find(({ act, agent, seq }) => act === 'focus' && seq < completedSeq && (!spawn || agent === spawn.agent));
  return focus ? pass('BASE-005', `${focus.agent} focused it`) : fail('BASE-005', `${agentPrefix}never focused it before completion`);
}

function checkConsistency({ entry, output, unknownTasks, getEpic }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-006', noEntryMessage);
  if (unknownTasks.length > 0) return fail('BASE-006', `the entry links unknown tasks: ${unknownTasks.slice(0, 5).join(', ')}`);
  const [first] = output ? checkOutput(output, entry, getEpic).filter(({ isContradiction: isContrary }) => isContrary) : [];
  return first ? fail('BASE-006', `${entry.file} ${first.problem}`) : pass('BASE-006', 'file, entry and tasks agree');
}

function checkLink({ entry, task }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-007', noEntryMessage);
  return isLinked(entry, task.id) ? pass('BASE-007', `${entry.id} is linked`) : warn('BASE-007', `${entry.id} is not linked to ${task.id}`);
}

/** Checks the rules of the task's protocol. For partial or blocked work, a broken MUST rule is only a warning. */
function checkProtocolRules({ protocol, entry, output, task, parts }: ProtocolFacts): ProtocolFinding[] {
  if (!protocol) return [];
  return protocolRules[protocol].map(({ id, isMust, check }) => {
    if (!entry || !output) return warn(id, entry ? 'there is no output file to check' : noEntryMessage);
    const message = check({ task, entry, output, parts });
    if (!message) return pass(id, 'followed');
    return isMust && entry.status === 'complete' ? fail(id, message) : warn(id, message);
  });
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
