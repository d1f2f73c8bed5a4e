import type { Status, TaskId } from '#core/model/scalars.ts';
import { type ProtocolName, protocolTable } from '#skills/model/protocol.ts';
import type { ReadEntry } from '../model/manifest.ts';
import { isLinked } from './manifest.ts';
import { type Output, outputProblems } from './output-file.ts';
import { protocolRules, type Work } from './protocol-rules.ts';
import { readReturn } from './return-message.ts';

export interface ProtocolFinding {
  rule: string;
  result: 'pass' | 'fail' | 'warn';
  message: string;
}

/** Everything that tells how a task was done. */
export interface ProtocolFacts {
  task: Work['task'] & { status: Status };
  epicOf: (taskId: TaskId) => TaskId | undefined;
  /** The last prompt for a worker on it. */
  spawn?: { agent: string; session?: string; hasProtocol: boolean };
  protocol?: ProtocolName;
  entry?: ReadEntry;
  /** Lines of the manifest with the id of the entry. */
  lines: number;
  /** Linked tasks that do not exist. */
  unknown: TaskId[];
  output?: Output;
  /** Milliseconds since 1970: when the file was changed last, and when the entry was added, where that is known. */
  writtenAt?: number;
  addedAt?: number;
  message?: string;
  /** Who took it as its focus, and who completed it, in the order of the log. */
  acts: { act: 'focus' | 'complete'; agent: string; seq: number }[];
  parts: Work['parts'];
}

/** The rule that has no id elsewhere: what a subagent is held to stood in its prompt. */
export const spawnRule = 'SPAWN-001';

/** How a task was done, judged rule by rule. Whatever cannot be told from what is recorded is a warning, never a pass. */
export function protocolFindings(facts: ProtocolFacts): ProtocolFinding[] {
  return [
    spawned(facts),
    inManifest(facts),
    returned(facts),
    completed(facts),
    written(facts),
    focused(facts),
    truthful(facts),
    linked(facts),
    ...conditional(facts),
  ];
}

const pass = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'pass', message });
const fail = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'fail', message });
const warn = (rule: string, message: string): ProtocolFinding => ({ rule, result: 'warn', message });
const noEntry = 'there is no entry to look at';

function spawned({ spawn }: ProtocolFacts): ProtocolFinding {
  if (!spawn) return fail(spawnRule, 'was never handed out: nobody was given its protocol');
  return spawn.hasProtocol
    ? pass(spawnRule, `${spawn.agent} was given the protocol`)
    : fail(spawnRule, `was handed out to ${spawn.agent} without its protocol`);
}

function inManifest({ entry, lines }: ProtocolFacts): ProtocolFinding {
  if (!entry) return fail('BASE-001', 'the manifest has no entry for it');
  return lines > 1 ? warn('BASE-001', `${entry.id} stands on ${lines} lines; the last counts`) : pass('BASE-001', entry.id);
}

function returned({ message, entry, protocol }: ProtocolFacts): ProtocolFinding {
  if (message === undefined) return warn('BASE-002', 'no return message was given to check');
  const said = readReturn(message);
  if (!said) return fail('BASE-002', 'has none of the three forms');
  if (entry && said.status !== entry.status) return fail('BASE-002', `says ${said.status}; its entry says ${entry.status}`);
  const title = protocol && protocolTable[protocol].title;
  return title && said.type !== title
    ? warn('BASE-002', `calls itself ${said.type}; its protocol is ${title}`)
    : pass('BASE-002', message.trim());
}

const isOpenEnd = (entry: ReadEntry | undefined): boolean => entry !== undefined && entry.status !== 'complete';

function completed({ task, entry, spawn, acts }: ProtocolFacts): ProtocolFinding {
  if (isOpenEnd(entry))
    return task.status === 'done'
      ? fail('BASE-003', `is done, and its entry says ${entry?.status}`)
      : pass('BASE-003', `stays open, as its entry says ${entry?.status}`);
  if (task.status !== 'done') return fail('BASE-003', `is ${task.status}, not done`);
  const last = acts.findLast(({ act }) => act === 'complete');
  if (!last) return warn('BASE-003', 'is done, and the log does not say by whom');
  return spawn && last.agent !== spawn.agent
    ? fail('BASE-003', `was completed by ${last.agent}, not by ${spawn.agent}`)
    : pass('BASE-003', `completed by ${last.agent}`);
}

function written({ entry, output, writtenAt, addedAt, epicOf }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-004', noEntry);
  if (!output) return fail('BASE-004', `${entry.file} is not there`);
  if (output.text.trim() === '') return fail('BASE-004', `${entry.file} is empty`);
  const [first] = outputProblems(output, entry, epicOf).filter(({ isContrary }) => !isContrary);
  if (first) return warn('BASE-004', `${entry.file} ${first.problem}`);
  if (writtenAt !== undefined && addedAt !== undefined && writtenAt > addedAt + 1000)
    return warn('BASE-004', `${entry.file} was changed after its entry was added`);
  return pass('BASE-004', entry.file);
}

function focused({ acts, spawn }: ProtocolFacts): ProtocolFinding {
  const end = acts.findLast(({ act }) => act === 'complete')?.seq ?? Number.POSITIVE_INFINITY;
  const whose = spawn ? `${spawn.agent} ` : '';
  const found = acts.find(({ act, agent, seq }) => act === 'focus' && seq < end && (!spawn || agent === spawn.agent));
  return found
    ? pass('BASE-005', `${found.agent} took it as its focus`)
    : fail('BASE-005', `${whose}never took it as its focus before it ended`);
}

function truthful({ entry, output, unknown, epicOf }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-006', noEntry);
  if (unknown.length > 0) return fail('BASE-006', `the entry links ${unknown.slice(0, 5).join(', ')}, which there is not`);
  const [first] = output ? outputProblems(output, entry, epicOf).filter(({ isContrary }) => isContrary) : [];
  return first ? fail('BASE-006', `${entry.file} ${first.problem}`) : pass('BASE-006', 'file, entry and tasks agree');
}

function linked({ entry, task }: ProtocolFacts): ProtocolFinding {
  if (!entry) return warn('BASE-007', noEntry);
  return isLinked(entry, task.id) ? pass('BASE-007', `${entry.id} is linked`) : warn('BASE-007', `${entry.id} is not linked to ${task.id}`);
}

/** Of work that is partial or blocked nobody expects that it is all there. */
function conditional({ protocol, entry, output, task, parts }: ProtocolFacts): ProtocolFinding[] {
  if (!protocol) return [];
  return protocolRules[protocol].map(({ id, isMust, problem }) => {
    if (!entry || !output) return warn(id, entry ? 'there is no output to look at' : noEntry);
    const found = problem({ task, entry, output, parts });
    if (!found) return pass(id, 'kept');
    return isMust && entry.status === 'complete' ? fail(id, found) : warn(id, found);
  });
}

/** The exit code of what is wrong, the gravest first: nobody knew the rules, nothing was left, it was not told as it should be, the rest. */
export function gravest(findings: ProtocolFinding[]): { exit: 60 | 61 | 62 | 6; finding: ProtocolFinding } | undefined {
  const failed = findings.filter(({ result }) => result === 'fail');
  for (const [rule, exit] of grave) {
    const finding = failed.find((one) => one.rule === rule);
    if (finding) return { exit, finding };
  }
  return failed[0] && { exit: 6, finding: failed[0] };
}

const grave: [string, 60 | 61 | 62][] = [
  [spawnRule, 60],
  ['BASE-001', 62],
  ['BASE-002', 61],
];
