import { addToList, groupBy } from '#lib/collections.ts';
import type { ExecutionFacts, SkillSuggestion } from '../model/assessment.ts';
import type { HandoffOutcome, TraceFacts } from './extract-facts.ts';

/** Number of recent runs of a skill that are examined. A problem is recurring from `minCount` and `minShare` of them on. */
const maxRuns = 20;
const minCount = 3;
const minShare = 0.3;
const nearTimeoutShare = 0.8;
const maxShownRuns = 5;

/** Finds recurring problems of each skill in its recent runs, the most frequent first. */
export function suggestFixes(traces: TraceFacts[]): SkillSuggestion[] {
  const groups = groupBy(
    traces.flatMap(({ executions }) => executions),
    ({ phase, skill }) => `${phase}\n${skill}`,
  );
  const handoffs = traces.flatMap((trace) => trace.handoffs.map((handoff) => ({ ...handoff, runId: trace.executions[0]?.runId ?? '' })));
  const found = [...[...groups.values()].flatMap((group) => findSkillPatterns(group.slice(-maxRuns))), ...findHandoffPatterns(handoffs)];
  return found.sort(
    (one, other) =>
      other.count / other.of - one.count / one.of || other.count - one.count || (getSortKey(one) < getSortKey(other) ? -1 : 1),
  );
}

const getSortKey = ({ rule, phase, skill, subject }: SkillSuggestion): string => [rule, phase, skill, subject].join('\n');

function findSkillPatterns(group: ExecutionFacts[]): SkillSuggestion[] {
  const { phase, skill } = group[0]!;
  const toSuggestions = (
    rule: SkillSuggestion['rule'],
    listSubjects: (facts: ExecutionFacts) => string[],
    describe: (subject: string) => { finding: string; action: string },
  ): SkillSuggestion[] => {
    const runsBySubject = new Map<string, string[]>();
    for (const facts of group) for (const subject of new Set(listSubjects(facts))) addToList(runsBySubject, subject, facts.runId);
    return [...runsBySubject].flatMap(([subject, runs]) =>
      isRecurring(runs.length, group.length)
        ? [{ rule, phase, skill, subject, count: runs.length, of: group.length, ...describe(subject), runs: pickNewest(runs) }]
        : [],
    );
  };
  const hasFailedRetry = group.some(({ retries, status }) => retries > 0 && status !== 'success');
  return [
    ...toSuggestions('precondition_fails', listFailedPreconditions, (check) => ({
      finding: `${check} fails before ${skill} starts`,
      action: `let an earlier phase fulfil it, or remove ${check} from the preconditions of ${phase}`,
    })),
    ...toSuggestions('near_time_limit', listNearTimeouts, (limit) => ({
      finding: `${skill} reaches or nearly reaches its timeout of ${limit}`,
      action: `raise timeout_ms of ${phase}, or split the work`,
    })),
    ...toSuggestions('undeclared_write', listUndeclaredWrites, (path) => ({
      finding: `${skill} writes ${path}, which is not an output of ${phase}`,
      action: `declare ${path} as an output of ${phase}, or stop ${skill} from writing it`,
    })),
    ...toSuggestions(
      'gate_forced',
      ({ forced }) => forced,
      (gate) => ({ finding: `the ${gate} gate of ${phase} is forced`, action: 'set its severity to warn, or fix what it checks' }),
    ),
    ...toSuggestions('undeclared_exit_code', listUndeclaredCodes, (code) => ({
      finding: `${skill} exits with ${code}, which ${phase} does not declare`,
      action: `declare ${code} in contracts.${phase}.exit_codes`,
    })),
    // If a later attempt always succeeds, the skill should wait for something.
    ...toSuggestions(
      'retries_end_well',
      ({ retries }) => (retries > 0 && !hasFailedRetry ? ['first attempt'] : []),
      () => ({
        finding: `${skill} fails at first and then always succeeds on a retry`,
        action: `add a precondition to ${phase} for what the first attempt lacks, or fix ${skill}`,
      }),
    ),
  ];
}

const isRecurring = (count: number, all: number): boolean => count >= minCount && count / all >= minShare;
const pickNewest = (runs: string[]): string[] => runs.toReversed().slice(0, maxShownRuns);

const listFailedPreconditions = ({ checks }: ExecutionFacts): string[] =>
  // Rejected handoffs have a rule of their own.
  checks.filter(({ gate, passed, name }) => gate === 'precondition' && !passed && !name.startsWith('handoff:')).map(({ name }) => name);

const listNearTimeouts = ({ status, timeoutMs, maxAttemptMs }: ExecutionFacts): string[] =>
  timeoutMs !== null && (status === 'timeout' || maxAttemptMs >= nearTimeoutShare * timeoutMs) ? [`${timeoutMs} ms`] : [];

const listUndeclaredWrites = ({ warnings }: ExecutionFacts): string[] =>
  warnings.flatMap(({ code, path }) => (code === 'undeclared_write' ? (path ?? []) : []));

const listUndeclaredCodes = ({ warnings, exitCode }: ExecutionFacts): string[] =>
  warnings.some(({ code }) => code === 'undeclared_exit_code') ? [String(exitCode)] : [];

/** Rejected handoffs that always lack the same file or section. */
function findHandoffPatterns(all: (HandoffOutcome & { runId: string })[]): SkillSuggestion[] {
  const byPair = groupBy(all, ({ from, to }) => `${from}\n${to}`);
  return [...byPair.values()].flatMap((pair) => {
    const handoffs = pair.slice(-maxRuns);
    const rejected = handoffs.filter(({ accepted }) => !accepted);
    const { from, to } = handoffs[0]!;
    if (!isRecurring(rejected.length, handoffs.length)) return [];
    const alwaysMissing = [...new Set(rejected[0]!.lacks)].filter((thing) => rejected.every(({ lacks }) => lacks.includes(thing)));
    if (alwaysMissing.length === 0) return [];
    const subject = alwaysMissing.join(', ');
    return [
      {
        rule: 'handoff_short' as const,
        phase: from,
        subject,
        count: rejected.length,
        of: handoffs.length,
        finding: `every rejected handoff from ${from} to ${to} lacks ${subject}`,
        action: `ask for it in the instructions of ${from}, or require it in the output gate (outputs, required_sections)`,
        runs: pickNewest(rejected.map(({ runId }) => runId)),
      },
    ];
  });
}
