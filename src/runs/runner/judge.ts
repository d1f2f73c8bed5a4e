import { toCanonicalJson } from '#lib/digest.ts';
import type { JudgeSpec } from '../model/construct.ts';
import type { JudgeRequest, JudgeVerdict } from '../model/judge.ts';
import { combineVotes, parseVerdict, type VoteOutcome } from '../rules/judge.ts';
import { getSubject, type NamedExecution } from './gates.ts';
import { listConstructVariables, type RunContext } from './run-context.ts';

/** The part of a run that judging needs. A finished run is judged without the rest. */
type JudgeContext = Pick<RunContext, 'platform' | 'redactor' | 'signal' | 'emit'> & {
  record: Pick<RunContext['record'], 'run_id'>;
  request: Pick<RunContext['request'], 'usesJudgeCache' | 'construct'>;
};

/** A judge request without the ids of the run, so that the answer can be cached across runs. */
export type JudgeQuestion = Omit<JudgeRequest, 'protocol' | 'run_id' | 'execution_id'>;

const maxTextBytes = 64 * 1024;
/** Bytes read beyond the limit, so that a secret that crosses it is recognised. */
const maxSecretBytes = 16 * 1024;

/** Asks the judge once per vote. An error of the judge is neither a pass nor a fail. */
export async function askJudge(
  run: JudgeContext,
  execution: NamedExecution,
  spec: JudgeSpec,
  question: JudgeQuestion,
): Promise<VoteOutcome | { problem: string }> {
  const redacted = run.redactor.value(question) as JudgeQuestion;
  const votes: JudgeVerdict[] = [];
  for (let vote = 0; vote < spec.votes; vote += 1) {
    const verdict = await askVote(run, execution, spec, redacted, vote);
    if ('problem' in verdict) return verdict;
    votes.push(verdict);
  }
  return combineVotes(votes, spec.minScore);
}

async function askVote(
  run: JudgeContext,
  execution: NamedExecution,
  spec: JudgeSpec,
  question: JudgeQuestion,
  vote: number,
): Promise<JudgeVerdict | { problem: string }> {
  const { platform, record } = run;
  const subject = getSubject(execution);
  const files = spec.command.map((word) => platform.hashProgram(word));
  const key = platform.hash(toCanonicalJson({ request: question, argv: spec.command, files, vote }));
  const cached = run.request.usesJudgeCache ? platform.runs.read('judge', `${key}.json`) : undefined;
  if (cached !== undefined) {
    const verdict = parseVerdict(cached);
    if (!('problem' in verdict)) {
      run.emit('judge_called', { vote, cached: true, verdict: verdict.verdict, score: verdict.score }, subject);
      return verdict;
    }
  }
  const request: JudgeRequest = { protocol: 'cleo-judge/1', run_id: record.run_id, execution_id: execution.id, ...question };
  let problem = '';
  for (let attempt = 0; attempt <= spec.maxRetries && !run.signal.aborted; attempt += 1) {
    const answer = await platform.runWithInput(spec.command, JSON.stringify(request), {
      timeoutMs: spec.timeoutMs,
      variables: listConstructVariables(run.request),
      signal: run.signal,
    });
    const { durationMs, exitCode } = answer;
    const verdict = exitCode === 0 ? parseVerdict(answer.stdout) : { problem: answer.problem ?? `exited with ${exitCode ?? 'a signal'}` };
    if (!('problem' in verdict)) {
      const { score, model, usage } = verdict;
      run.emit('judge_called', { vote, cached: false, verdict: verdict.verdict, score, duration_ms: durationMs, model, usage }, subject);
      platform.runs.write('judge', `${key}.json`, JSON.stringify(run.redactor.value(verdict)));
      return verdict;
    }
    problem = verdict.problem;
    run.emit('judge_called', { vote, cached: false, error: problem, duration_ms: durationMs }, subject);
  }
  return { problem: `judge_error: the judge ${problem}` };
}

/** The beginning of a file for the judge. It is redacted before it is cut, because half a secret would not be recognised. */
export function createExcerpt(
  { platform, redactor }: Pick<RunContext, 'platform' | 'redactor'>,
  path: string,
  sha256: string,
): JudgeQuestion['artifacts'][number] {
  const bytes = platform.readFile(path, maxTextBytes + maxSecretBytes);
  const redacted = new TextEncoder().encode(redactor.text(new TextDecoder().decode(bytes)));
  // The cut can split a character; its rest is removed.
  const text = new TextDecoder().decode(redacted.subarray(0, maxTextBytes)).replace(/\ufffd$/, '');
  return { path, sha256, text, truncated: bytes.length > maxTextBytes || redacted.length > maxTextBytes };
}
