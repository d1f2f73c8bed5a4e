import { array, boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, noData, query } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../../errors/skill.ts';
import { type Verified, verifyTrace } from '../../rules/trace-verify.ts';
import { findRun, type KeptRun, keptRuns, recordOf } from '../../runner/kept-runs.ts';
import { RunName } from '../shared/trace-shapes.ts';

export const traceVerify = query({
  name: 'trace.verify',
  summary: 'Check that a trace is still what was written, line by line and at its end',
  params: strictObject({ run: optional(RunName), all: optional(pipe(boolean(), description('Every trace'))) }),
  result: strictObject({ traces: array(strictObject({ run: string(), trace: string(), lines: number(), head: string() })) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace verify', args: ['run'] },
  example: { world: ['trace run-a'], call: { run: 'run-a' } },
  async run({ platform, project }, { run: asked, all }) {
    const ground = await platform.ground(project);
    if ((asked === undefined) !== (all === true))
      throw skillRefusal(
        64,
        asked === undefined ? 'which one? name a run, or all of them' : 'a run, or all of them: not both',
        'cleo trace verify --all',
      );
    const runs = asked === undefined ? keptRuns(ground) : [findRun(ground, asked)];
    const looked = runs.flatMap((run) => lookAt(ground, run));
    if (looked.length === 0) return noData({ traces: [] });
    const broken = looked.filter(({ verified }) => verified.broken);
    if (broken.length > 0) throw brokenOf(broken);
    return answer(
      { traces: looked.map(({ run, trace, verified: { lines, head } }) => ({ run, trace, lines, head })) },
      { warnings: looked.flatMap(({ trace, verified }) => verified.warnings.map((warning) => `${trace}: ${warning}`)) },
    );
  },
});

interface Looked {
  run: string;
  trace: string;
  verified: Verified;
}

/** What became of one trace. A run that was told to keep none has none to look at. */
export function lookAt(ground: Ground, { runId, trace }: KeptRun): Looked[] {
  // The note first: a run that goes on writes its trace before it notes its end.
  const record = recordOf(ground, runId);
  const name = trace ?? record?.trace;
  if (!name) return [];
  const read = ground.traces.read(name) ?? { text: '' };
  const verified = verifyTrace(read, ground.hash, record);
  if (!record) verified.warnings.push('run.json is gone or damaged: nothing vouches for its last line');
  return [{ run: runId, trace: name, verified }];
}

function brokenOf(broken: Looked[]) {
  const [first] = broken;
  const { line, problem } = first!.verified.broken!;
  const more = broken.length > 1 ? `; ${broken.length} traces are broken` : '';
  return skillRefusal(65, `${first!.trace}: line ${line} ${problem}${more}`, commandLine(['cleo', 'trace', 'repair', first!.run]), {
    run: first!.run,
    line,
    findings: broken.map(({ run, trace, verified }) => ({
      ...{ code: run, trace, line: verified.broken!.line, message: `line ${verified.broken!.line} ${verified.broken!.problem}` },
    })),
  });
}
