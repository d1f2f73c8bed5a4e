import type { JudgeSpec } from '../model/construct.ts';
import type { Verdict } from '../model/judge.ts';
import type { TraceAbout } from '../platform/ground-port.ts';
import { canonical } from '../rules/canonical.ts';
import { type Judgement, judgementOf, readVerdict } from '../rules/judge.ts';
import type { Run } from './run-state.ts';

export interface JudgeRequest {
  kind: 'selection' | 'goal';
  skill: string;
  goal: string;
  rubric: { id: string; question: string; weight: number }[];
  evidence: unknown[];
  artifacts: { path: string; sha256: string; text: string; truncated: boolean }[];
  candidates: { name: string; description: string }[];
}

const longestText = 64 * 1024;
/** So much more is read, so that one at the end can be told. */
const longestSecret = 16 * 1024;

/** Asks the judge as often as there are votes. A judge that fails has said nothing: neither pass nor fail. */
export async function askJudge(
  run: Run,
  spec: JudgeSpec,
  request: JudgeRequest,
  about: TraceAbout,
): Promise<Judgement | { problem: string }> {
  const clean = run.redactor.value(request);
  const votes: Verdict[] = [];
  for (let vote = 0; vote < spec.votes; vote += 1) {
    const verdict = await oneVote(run, spec, clean, vote, about);
    if ('problem' in verdict) return verdict;
    votes.push(verdict);
  }
  return judgementOf(votes, spec.minScore);
}

async function oneVote(
  run: Run,
  spec: JudgeSpec,
  request: unknown,
  vote: number,
  about: TraceAbout,
): Promise<Verdict | { problem: string }> {
  const { ground, record } = run;
  // What is asked and who is asked, not by which run.
  const key = ground.hash(canonical({ request, argv: spec.command, files: spec.command.map((word) => ground.digestOf(word)), vote }));
  const known = run.request.usesJudgeCache ? ground.runs.read('judge', `${key}.json`) : undefined;
  if (known !== undefined) {
    const verdict = readVerdict(known);
    if (!('problem' in verdict)) {
      run.tell('judge_called', { vote, cached: true, verdict: verdict.verdict, score: verdict.score }, about);
      return verdict;
    }
  }
  const input = JSON.stringify({
    protocol: 'cleo-judge/1',
    run_id: record.run_id,
    execution_id: about.execution_id ?? null,
    ...(request as object),
  });
  let problem = '';
  for (let tries = 0; tries <= spec.maxRetries; tries += 1) {
    const ran = await ground.ask(spec.command, input, spec.timeoutMs, run.signal);
    const verdict = ran.exitCode === 0 ? readVerdict(ran.stdout) : { problem: ran.problem ?? `ended with ${ran.exitCode ?? 'a signal'}` };
    if (!('problem' in verdict)) {
      run.tell(
        'judge_called',
        { vote, cached: false, verdict: verdict.verdict, score: verdict.score, duration_ms: ran.durationMs, model: verdict.model },
        about,
      );
      ground.runs.write('judge', `${key}.json`, JSON.stringify(run.redactor.value(verdict)));
      return verdict;
    }
    problem = verdict.problem;
    run.tell('judge_called', { vote, cached: false, error: problem, duration_ms: ran.durationMs }, about);
  }
  return { problem: `judge_error: the judge ${problem}` };
}

/** What a judge may read of a file: secrets are taken out before it is cut, since half of one would not be known any more. */
export function excerpt(run: Run, path: string, sha256: string): JudgeRequest['artifacts'][number] {
  const bytes = run.ground.read(path, longestText + longestSecret);
  const clean = new TextEncoder().encode(run.redactor.text(new TextDecoder().decode(bytes)));
  // Without the rest of a character that the cut went through.
  const text = new TextDecoder().decode(clean.subarray(0, longestText)).replace(/\ufffd$/, '');
  return { path, sha256, text, truncated: bytes.length > longestText || clean.length > longestText };
}
