import { safeParse } from 'valibot';
import { quote } from '#core/errors/quote.ts';
import type { Platform, Project } from '#platform/port.ts';
import { skillRefusal } from '#runs/errors/skill.ts';
import type { RunRecord } from '#runs/model/trace.ts';
import { readTrace } from '#runs/rules/trace.ts';
import { isPattern, isTraceName, runOfTrace, tracesNamed } from '#runs/rules/trace-name.ts';
import { type Assessment, CalibratedModel, type ExecutionFacts, rubricVersion } from '../../model/assessment.ts';
import { prediction } from '../../rules/calibrate.ts';
import { factsOf, type TraceFacts } from '../../rules/facts.ts';
import { isSuccess, referenceOf, remember, remembered, type Successes, skillKey } from '../../rules/reference.ts';
import { score } from '../../rules/score.ts';
import { type HumanVerdict, verdictsIn } from '../../rules/verdicts.ts';

/** Below `.cleo`. */
export const assessmentsFile = 'metrics/ASSESSMENTS.jsonl';
export const modelFile = 'assess/model.json';

export interface Place {
  platform: Platform;
  project: Project;
}

export interface AssessedExecution {
  facts: ExecutionFacts;
  assessment: Assessment;
}

export interface AssessedTraces {
  executions: AssessedExecution[];
  /** Executions in which nothing had to be done. */
  skipped: number;
  runs: number;
  warnings: string[];
}

/** Oldest first: names begin with the day, and runs are called in the order in which they began. */
export const traceNames = ({ platform, project }: Place): string[] =>
  platform.files
    .list(`${project.folder}/traces`)
    .map(({ name }) => name)
    .filter(isTraceName)
    .sort();

/** The traces that these words name. A word that names no run is a call of the wrong kind (64); a run or a pattern without a trace lacks
 *  its input (66). */
export function tracesOf(place: Place, words: string[], names = traceNames(place)): string[] {
  const found = new Set<string>();
  for (const word of words) {
    const named = tracesNamed(word, names);
    if (named.length === 0) throw nothingNamed(place, word);
    for (const name of named) found.add(name);
  }
  return names.filter((name) => found.has(name));
}

function nothingNamed(place: Place, word: string) {
  const fix = 'cleo trace list';
  if (isPattern(word)) return skillRefusal(66, `No trace fits ${quote(word)}`, fix, { pattern: word });
  if (recordOf(place, word)) return skillRefusal(66, `${word} has no trace: it was pruned, or nothing was captured`, fix, { run: word });
  return skillRefusal(64, `There is no run ${quote(word)}`, fix, { run: word });
}

function recordOf({ platform, project }: Place, run: string): RunRecord | undefined {
  if (!/^[\w-][\w.-]*$/.test(run)) return undefined;
  try {
    return JSON.parse(platform.files.readText(`${project.folder}/runs/${run}/run.json`) ?? 'null') ?? undefined;
  } catch {
    // Half of a record says nothing.
    return undefined;
  }
}

/** What a trace tells. Lines that are no events are passed over. */
export function factsIn({ platform, project }: Place, name: string): TraceFacts {
  // Nobody asks here whether it was changed, and hashing is most of the work.
  const { lines } = readTrace(platform.files.readText(`${project.folder}/traces/${name}`) ?? '', () => '');
  return factsOf(lines.map(({ line }) => line));
}

/** Every execution of these traces, assessed in the order of the traces: what a skill usually takes is told by what came before. */
export async function assessTraces(place: Place, names: string[], timestamp: string): Promise<AssessedTraces> {
  const all = traceNames(place);
  const wanted = new Set(names);
  const [first, last] = [all.indexOf(names[0] ?? ''), all.indexOf(names.at(-1) ?? '')];
  const window = first < 0 ? [] : all.slice(first, last + 1);
  const read = window.map((name) =>
    wanted.has(name) ? checked(place, name) : { name, facts: factsIn(place, name), flags: [], warnings: [] },
  );
  const successes = successesBefore(
    place,
    all.slice(0, Math.max(0, first)),
    read.filter(({ name }) => wanted.has(name)).flatMap(({ facts }) => facts.executions),
  );
  const verdicts = await humanVerdicts(place);
  const model = modelOf(place);
  const found: AssessedTraces = { executions: [], skipped: 0, runs: wanted.size, warnings: [] };
  for (const { name, facts: trace, flags, warnings } of read) {
    found.warnings.push(...warnings);
    for (const facts of trace.executions) {
      if (!wanted.has(name)) remember(successes, facts);
      else if (facts.status === 'success' && !facts.isInvoked) found.skipped += 1;
      else {
        const human = verdicts.get(facts.executionId)?.scores ?? [];
        const plain = score(facts, { reference: referenceOf(successes, facts), human, timestamp, flags });
        found.executions.push({ facts, assessment: withPrediction(plain, facts, model) });
        remember(successes, facts);
      }
    }
  }
  return found;
}

/** The trace, and whether it is still what the run wrote. */
function checked(place: Place, name: string): { name: string; facts: TraceFacts; flags: string[]; warnings: string[] } {
  const { platform, project } = place;
  const run = runOfTrace(name);
  const { lines, problems, firstBad, head } = readTrace(platform.files.readText(`${project.folder}/traces/${name}`) ?? '', platform.sha256);
  const facts = factsOf(lines.map(({ line }) => line));
  const left = recordOf(place, run);
  const isCut = left?.completed_at != null && left.head != null && left.head !== head;
  const flags =
    firstBad !== undefined
      ? [`line ${firstBad} of the trace is not what was written`]
      : isCut
        ? ['the trace does not end as the run left it']
        : [];
  return {
    name,
    facts,
    flags,
    warnings: [
      ...problems.map(({ line, problem }) => `${run}: line ${line} of the trace ${problem}`),
      ...flags.map((flag) => `${run}: ${flag}`),
      ...(facts.isOver ? [] : [`${run} has not ended: only what has is assessed`]),
    ],
  };
}

/** Goes back only as far as it takes to know what the skills of these executions usually take. */
function successesBefore(place: Place, earlier: string[], executions: ExecutionFacts[]): Successes {
  const lacking = new Map(executions.map((facts) => [skillKey(facts), remembered]));
  const newestFirst: ExecutionFacts[] = [];
  for (let i = earlier.length - 1; i >= 0 && lacking.size > 0; i--)
    for (const facts of factsIn(place, earlier[i]!).executions.toReversed()) {
      const key = skillKey(facts);
      const left = lacking.get(key);
      if (left === undefined || !isSuccess(facts)) continue;
      newestFirst.push(facts);
      if (left === 1) lacking.delete(key);
      else lacking.set(key, left - 1);
    }
  const successes: Successes = new Map();
  for (const facts of newestFirst.toReversed()) remember(successes, facts);
  return successes;
}

export async function humanVerdicts({ platform, project }: Place): Promise<Map<string, HumanVerdict>> {
  const { reviewsOf } = await import('#platform/review-file.ts');
  return verdictsIn(reviewsOf(platform, `${project.folder}/reviews.jsonl`).read());
}

/** The model that was learned last; one that is not to be read is none. */
export function modelOf({ platform, project }: Place): CalibratedModel | undefined {
  try {
    const read = safeParse(CalibratedModel, JSON.parse(platform.files.readText(`${project.folder}/${modelFile}`) ?? 'null'));
    return read.success ? read.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A prediction is told beside the score, and the version tells which model it is of: without it the same trace gave other bytes. */
function withPrediction(assessment: Assessment, facts: ExecutionFacts, model: CalibratedModel | undefined): Assessment {
  const expected = prediction(model, facts, assessment);
  if (!model || !expected) return assessment;
  const { evaluator, rubric_version: _, timestamp, ...rest } = assessment;
  return { ...rest, prediction: expected, evaluator, rubric_version: `${rubricVersion}+${model.id}`, timestamp };
}
