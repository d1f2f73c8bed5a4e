import type { ExecutionFacts } from '../model/assessment.ts';
import type { HandoffFacts, TraceFacts } from './facts.ts';

export const suggestionRules = [
  'precondition_fails',
  'near_time_limit',
  'retries_end_well',
  'undeclared_write',
  'handoff_short',
  'gate_forced',
  'undeclared_exit_code',
] as const;

export interface Suggestion {
  rule: (typeof suggestionRules)[number];
  phase: string;
  skill?: string;
  /** What it is about: a check, a path, a section, a gate. */
  subject: string;
  count: number;
  of: number;
  /** What was seen. */
  finding: string;
  /** What to do about it. */
  action: string;
  /** Where it was seen, newest first; of many some. */
  runs: string[];
}

/** As many runs as are looked at, and what makes a habit of an accident. */
export const lastRuns = 20;
const leastCount = 3;
const leastShare = 0.3;
const nearShare = 0.8;
const shownRuns = 5;

/** What happens again and again, skill by skill, in the last runs that had it; what is commonest first. */
export function suggest(traces: TraceFacts[]): Suggestion[] {
  const groups = grouped(traces.flatMap(({ executions }) => executions));
  const handoffs = traces.flatMap((trace) => trace.handoffs.map((handoff) => ({ ...handoff, runId: runOf(trace) })));
  const found = [...[...groups.values()].flatMap(ofSkill), ...ofHandoffs(handoffs)];
  return found.sort(
    (one, other) => other.count / other.of - one.count / one.of || other.count - one.count || (name(one) < name(other) ? -1 : 1),
  );
}

const name = ({ rule, phase, skill, subject }: Suggestion): string => [rule, phase, skill, subject].join('\n');
const runOf = ({ executions }: TraceFacts): string => executions[0]?.runId ?? '';

/** Executions of the same skill in the same phase: those of the last runs. */
function grouped(all: ExecutionFacts[]): Map<string, ExecutionFacts[]> {
  const groups = new Map<string, ExecutionFacts[]>();
  for (const facts of all) {
    const key = `${facts.phase}\n${facts.skill}`;
    const known = groups.get(key) ?? [];
    known.push(facts);
    if (known.length > lastRuns) known.shift();
    groups.set(key, known);
  }
  return groups;
}

function ofSkill(group: ExecutionFacts[]): Suggestion[] {
  const { phase, skill } = group[0]!;
  const habit = (rule: Suggestion['rule'], seen: Seen, words: (subject: string) => { finding: string; action: string }): Suggestion[] =>
    [...seen].flatMap(([subject, runs]) =>
      isHabit(runs.length, group.length)
        ? [{ rule, phase, skill, subject, count: runs.length, of: group.length, ...words(subject), runs: newest(runs) }]
        : [],
    );
  return [
    ...habit('precondition_fails', seenIn(group, failedPreconditions), (check) => ({
      finding: `${check} fails before ${skill} can begin`,
      action: `have an earlier phase see to it, or take ${check} out of the preconditions of ${phase}`,
    })),
    ...habit('near_time_limit', seenIn(group, nearLimit), (limit) => ({
      finding: `${skill} takes nearly all of its ${limit}, or more`,
      action: `raise timeout_ms of ${phase}, or split the work`,
    })),
    ...habit('undeclared_write', seenIn(group, undeclared), (path) => ({
      finding: `${skill} writes ${path}, which is no output of ${phase}`,
      action: `declare ${path} among the outputs of ${phase}, or have ${skill} leave it alone`,
    })),
    ...habit(
      'gate_forced',
      seenIn(group, ({ forced }) => forced),
      (gate) => ({
        finding: `gate ${gate} of ${phase} is forced`,
        action: `set its severity to warn, or mend what it asks for`,
      }),
    ),
    ...habit('undeclared_exit_code', seenIn(group, strangeCodes), (code) => ({
      finding: `${skill} ends with ${code}, which ${phase} does not declare`,
      action: `name ${code} under contracts.${phase}.exit_codes`,
    })),
    ...retried(group),
  ];
}

type Seen = Map<string, string[]>;

/** The runs in which each thing was seen. */
function seenIn(group: ExecutionFacts[], of: (facts: ExecutionFacts) => string[]): Seen {
  const seen: Seen = new Map();
  for (const facts of group) for (const subject of new Set(of(facts))) seen.set(subject, [...(seen.get(subject) ?? []), facts.runId]);
  return seen;
}

const isHabit = (count: number, all: number): boolean => count >= leastCount && count / all >= leastShare;
const newest = (runs: string[]): string[] => runs.toReversed().slice(0, shownRuns);

const failedPreconditions = ({ checks }: ExecutionFacts): string[] =>
  // A handoff that is refused has a rule of its own.
  checks.filter(({ gate, passed, name: check }) => gate === 1 && !passed && !check.startsWith('handoff:')).map(({ name: check }) => check);

const nearLimit = ({ status, timeoutMs, longestAttemptMs }: ExecutionFacts): string[] =>
  timeoutMs !== null && (status === 'timeout' || longestAttemptMs >= nearShare * timeoutMs) ? [`${timeoutMs} ms`] : [];

const undeclared = ({ warnings }: ExecutionFacts): string[] =>
  warnings.flatMap(({ code, message }) => {
    const path = code === 'undeclared_write' ? / was (?:created|changed|deleted), /.exec(message) : null;
    return path ? [message.slice(0, path.index)] : [];
  });

const strangeCodes = ({ warnings, exitCode }: ExecutionFacts): string[] =>
  warnings.some(({ code }) => code === 'undeclared_exit_code') ? [String(exitCode)] : [];

/** A first attempt that fails and a later one that never does: whatever it waits for could be waited for. */
function retried(group: ExecutionFacts[]): Suggestion[] {
  const again = group.filter(({ retries }) => retries > 0);
  const { phase, skill } = group[0]!;
  if (!isHabit(again.length, group.length) || again.some(({ status }) => status !== 'success')) return [];
  return [
    {
      ...{ rule: 'retries_end_well', phase, skill, subject: 'first attempt', count: again.length, of: group.length },
      finding: `${skill} has to be tried again, and then always succeeds`,
      action: `check before ${phase} what the first attempt lacks, as a precondition, or mend it in ${skill}`,
      runs: newest(again.map(({ runId }) => runId)),
    },
  ];
}

/** Handoffs that are refused, each time for want of the same file or section. */
function ofHandoffs(all: (HandoffFacts & { runId: string })[]): Suggestion[] {
  const ways = new Map<string, (HandoffFacts & { runId: string })[]>();
  for (const handoff of all) {
    const key = `${handoff.from}\n${handoff.to}`;
    ways.set(key, [...(ways.get(key) ?? []), handoff].slice(-lastRuns));
  }
  return [...ways.values()].flatMap((handoffs) => {
    const refused = handoffs.filter(({ accepted }) => !accepted);
    const { from, to } = handoffs[0]!;
    if (!isHabit(refused.length, handoffs.length)) return [];
    const always = [...new Set(refused[0]!.lacks)].filter((thing) => refused.every(({ lacks }) => lacks.includes(thing)));
    if (always.length === 0) return [];
    const subject = always.join(', ');
    return [
      {
        ...{ rule: 'handoff_short' as const, phase: from, subject, count: refused.length, of: handoffs.length },
        finding: `${from} hands on to ${to} without ${subject}, whenever it is refused`,
        action: `name what is missing in the instructions of ${from}, or have its gate 3 ask for it (outputs, required_sections)`,
        runs: newest(refused.map(({ runId }) => runId)),
      },
    ];
  });
}
