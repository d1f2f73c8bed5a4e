import { canonical } from '#lib/canonical.ts';
import type { TraceAbout } from '#platform/ground-port.ts';
import type { JudgeSpec } from '../model/construct.ts';
import type { JudgeRequest, Verdict } from '../model/judge.ts';
import { type Judgement, judgementOf, readVerdict } from '../rules/judge.ts';
import type { Run } from './run-state.ts';

/** What is asked, whoever asks. */
export type Question = Omit<JudgeRequest, 'protocol' | 'run_id' | 'execution_id'>;

const longestText = 64 * 1024;
/** So much more is read, so that one at the end can be told. */
const longestSecret = 16 * 1024;

/** Asks the judge as often as there are votes. A judge that fails has said nothing: neither pass nor fail. */
export async function askJudge(run: Run, spec: JudgeSpec, question: Question, about: TraceAbout): Promise<Judgement | { problem: string }> {
  const clean = run.redactor.value(question) as Question;
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
  question: Question,
  vote: number,
  about: TraceAbout,
): Promise<Verdict | { problem: string }> {
  const { ground, record } = run;
  // What is asked and who is asked, not by which run.
  const key = ground.hash(
    canonical({ request: question, argv: spec.command, files: spec.command.map((word) => ground.digestOf(word)), vote }),
  );
  const known = run.request.usesJudgeCache ? ground.runs.read('judge', `${key}.json`) : undefined;
  if (known !== undefined) {
    const verdict = readVerdict(known);
    if (!('problem' in verdict)) {
      run.tell('judge_called', { vote, cached: true, verdict: verdict.verdict, score: verdict.score }, about);
      return verdict;
    }
  }
  const request: JudgeRequest = {
    ...{ protocol: 'cleo-judge/1', run_id: record.run_id, execution_id: about.execution_id ?? null },
    ...question,
  };
  let problem = '';
  for (let tries = 0; tries <= spec.maxRetries && !run.signal.aborted; tries += 1) {
    const ran = await ground.ask(spec.command, JSON.stringify(request), spec.timeoutMs, run.signal);
    const verdict = ran.exitCode === 0 ? readVerdict(ran.stdout) : { problem: ran.problem ?? `ended with ${ran.exitCode ?? 'a signal'}` };
    if (!('problem' in verdict)) {
      run.tell(
        'judge_called',
        {
          ...{ vote, cached: false, verdict: verdict.verdict, score: verdict.score, duration_ms: ran.durationMs },
          ...{ model: verdict.model, usage: verdict.usage },
        },
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
export function excerpt(run: Run, path: string, sha256: string): Question['artifacts'][number] {
  const bytes = run.ground.read(path, longestText + longestSecret);
  const clean = new TextEncoder().encode(run.redactor.text(new TextDecoder().decode(bytes)));
  // Without the rest of a character that the cut went through.
  const text = new TextDecoder().decode(clean.subarray(0, longestText)).replace(/\ufffd$/, '');
  return { path, sha256, text, truncated: bytes.length > longestText || clean.length > longestText };
}
