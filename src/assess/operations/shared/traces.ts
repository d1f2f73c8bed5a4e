import { safeParse } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { isGlob } from '#lib/glob.ts';
import { parseJson } from '#lib/parse-json.ts';
import { createSkillError } from '#runs/errors/skill.ts';
import type { RunRecord, TraceLine } from '#runs/model/trace.ts';
import { parseReviews } from '#runs/rules/review-state.ts';
import { parseTrace } from '#runs/rules/trace.ts';
import { isTraceName, toRunId } from '#runs/rules/trace-name.ts';
import { findRuns, listStoredRuns, suggestRuns } from '#runs/runner/stored-runs.ts';
import {
  type Assessment,
  type CalibratedModel,
  CalibratedModelSchema,
  type ExecutionFacts,
  rubricVersion,
} from '../../model/assessment.ts';
import { predictVerdict } from '../../rules/calibrate.ts';
import { extractFacts, type TraceFacts } from '../../rules/extract-facts.ts';
import { addSuccess, computeReference, getSkillKey, isSuccess, maxSuccesses, type Successes } from '../../rules/reference.ts';
import { scoreExecution } from '../../rules/score.ts';
import { collectVerdicts, type HumanVerdict } from '../../rules/verdicts.ts';

/** Paths relative to `.cleo`. */
export const assessmentsFile = 'metrics/ASSESSMENTS.jsonl';
export const modelFile = 'assess/model.json';

export type TraceContext = Pick<QueryContext, 'platform' | 'project'>;

/** Reads a file below `.cleo`; undefined if it does not exist. */
export const readStateFile = ({ platform, project }: TraceContext, path: string): string | undefined =>
  platform.files.readText(`${project.folder}/${path}`);

export interface AssessedTraces {
  executions: { facts: ExecutionFacts; assessment: Assessment }[];
  /** Number of skipped executions. */
  skipped: number;
  runs: number;
  warnings: string[];
}

/** The names of all traces, oldest first: they begin with the date, and run ids sort by start time. */
export const listTraceNames = ({ platform, project }: TraceContext): string[] =>
  platform.files
    .list(`${project.folder}/traces`)
    .map(({ name }) => name)
    .filter(isTraceName)
    .sort();

/** Resolves names of runs (see `findRun`) and patterns to traces, oldest first. An unknown run is an invalid call (64); a run or pattern
 *  without a trace is a missing input (66). */
export async function resolveTraces({ platform, project }: TraceContext, words: string[]): Promise<string[]> {
  const runner = await platform.createRunner(project);
  const runs = listStoredRuns(runner);
  const traces = words.flatMap((word) => {
    const found = findRuns(runner, word, runs).flatMap(({ trace }) => trace ?? []);
    if (found.length === 0) throw createNoTraceError(word, suggestRuns(runs));
    return found;
  });
  return [...new Set(traces)].sort();
}

function createNoTraceError(word: string, fix: string) {
  if (isGlob(word)) return createSkillError(66, `No trace matches ${quote(word)}`, fix, { pattern: word });
  return createSkillError(66, `${word} has no trace: it was pruned, or nothing was captured`, fix, { run: word });
}

function readRunRecord(ctx: TraceContext, run: string): RunRecord | undefined {
  if (!/^[\w-][\w.-]*$/.test(run)) return undefined;
  return (parseJson(readStateFile(ctx, `runs/${run}/run.json`)) as RunRecord | null | undefined) ?? undefined;
}

/** Reads the facts of a trace. Lines that are not events are skipped. */
function readTraceFacts(ctx: TraceContext, name: string): TraceFacts {
  // The hash chain is not verified here, because hashing is most of the work.
  const { lines } = parseTrace(readStateFile(ctx, `traces/${name}`) ?? '', () => '');
  return extractFacts(lines.map(({ line }) => nameRun(line, name)));
}

/** Adds the run to a line of another program, which does not name it. */
function nameRun(line: TraceLine, trace: string): TraceLine {
  if (line.run_id !== '') return line;
  const run = toRunId(trace);
  return { ...line, run_id: run, ...(line.execution_id?.startsWith('line-') ? { execution_id: `${run}:${line.execution_id}` } : {}) };
}

/** Enough to contain the last 20 runs of a rarely used skill. */
const maxTraces = 200;

/** Reads the facts of the newest of these traces. */
export const readRecentFacts = (ctx: TraceContext, names: string[]): TraceFacts[] =>
  names.slice(-maxTraces).map((name) => readTraceFacts(ctx, name));

/** Assesses all executions of these traces in order, because the usual duration of a skill comes from earlier executions. */
export async function assessTraces(ctx: TraceContext, names: string[], timestamp: string): Promise<AssessedTraces> {
  const all = listTraceNames(ctx);
  const selected = new Set(names);
  const [first, last] = [all.indexOf(names[0] ?? ''), all.indexOf(names.at(-1) ?? '')];
  const window = first < 0 ? [] : all.slice(first, last + 1);
  const traces = window.map((name) =>
    selected.has(name) ? readVerifiedTrace(ctx, name) : { name, facts: readTraceFacts(ctx, name), flags: [], warnings: [] },
  );
  const successes = collectSuccesses(
    ctx,
    all.slice(0, Math.max(0, first)),
    traces.filter(({ name }) => selected.has(name)).flatMap(({ facts }) => facts.executions),
  );
  const verdicts = readHumanVerdicts(ctx);
  const model = readModel(ctx);
  const found: AssessedTraces = { executions: [], skipped: 0, runs: selected.size, warnings: [] };
  for (const { name, facts: trace, flags, warnings } of traces) {
    found.warnings.push(...warnings);
    for (const facts of trace.executions) {
      if (!selected.has(name)) addSuccess(successes, facts);
      else if (facts.status === 'success' && !facts.isInvoked) found.skipped += 1;
      else {
        const human = verdicts.get(facts.executionId)?.scores ?? [];
        const assessment = scoreExecution(facts, { reference: computeReference(successes, facts), human, timestamp, flags });
        found.executions.push({ facts, assessment: addPrediction(assessment, facts, model) });
        addSuccess(successes, facts);
      }
    }
  }
  return found;
}

/** Reads a trace and verifies that it is as the run wrote it. */
function readVerifiedTrace(ctx: TraceContext, name: string): { name: string; facts: TraceFacts; flags: string[]; warnings: string[] } {
  const run = toRunId(name);
  const { lines, problems, firstInvalid, head } = parseTrace(readStateFile(ctx, `traces/${name}`) ?? '', ctx.platform.sha256);
  const facts = extractFacts(lines.map(({ line }) => nameRun(line, name)));
  const record = readRunRecord(ctx, run);
  const isTruncated = record?.completed_at != null && record.head != null && record.head !== head;
  const flags =
    firstInvalid !== undefined
      ? [`line ${firstInvalid} of the trace was changed`]
      : isTruncated
        ? ['the trace does not end with the last line of the run']
        : [];
  return {
    name,
    facts,
    flags,
    warnings: [
      ...problems.map(({ line, problem }) => `${run}: line ${line} of the trace ${problem}`),
      ...flags.map((flag) => `${run}: ${flag}`),
      ...(facts.isOver ? [] : [`${run} has not ended; only finished executions are assessed`]),
    ],
  };
}

/** Collects the last successes of the skills of these executions from earlier traces, newest first, and stops when it has enough. */
function collectSuccesses(ctx: TraceContext, earlier: string[], executions: ExecutionFacts[]): Successes {
  const missing = new Map(executions.map((facts) => [getSkillKey(facts), maxSuccesses]));
  const newestFirst: ExecutionFacts[] = [];
  for (let i = earlier.length - 1; i >= 0 && missing.size > 0; i--)
    for (const facts of readTraceFacts(ctx, earlier[i]!).executions.toReversed()) {
      const key = getSkillKey(facts);
      const remaining = missing.get(key);
      if (remaining === undefined || !isSuccess(facts)) continue;
      newestFirst.push(facts);
      if (remaining === 1) missing.delete(key);
      else missing.set(key, remaining - 1);
    }
  const successes: Successes = new Map();
  for (const facts of newestFirst.toReversed()) addSuccess(successes, facts);
  return successes;
}

export const readHumanVerdicts = (ctx: TraceContext): Map<string, HumanVerdict> =>
  collectVerdicts(parseReviews(readStateFile(ctx, 'reviews.jsonl') ?? '').events);

/** The last trained model; undefined if it is missing or invalid. */
export function readModel(ctx: TraceContext): CalibratedModel | undefined {
  const parsed = safeParse(CalibratedModelSchema, parseJson(readStateFile(ctx, modelFile)));
  return parsed.success ? parsed.output : undefined;
}

/** Adds the prediction of the model. Its id becomes part of the rubric version, because the same trace now gives different bytes. */
function addPrediction(assessment: Assessment, facts: ExecutionFacts, model: CalibratedModel | undefined): Assessment {
  const prediction = predictVerdict(model, facts, assessment);
  if (!model || !prediction) return assessment;
  const { evaluator, rubric_version: _, timestamp, ...rest } = assessment;
  return { ...rest, prediction, evaluator, rubric_version: `${rubricVersion}+${model.id}`, timestamp };
}
