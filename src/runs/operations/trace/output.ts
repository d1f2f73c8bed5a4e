import { array, boolean, description, maxLength, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { findRun } from '../../runner/stored-runs.ts';
import '../../errors/skill.ts';
import { answer, noData, query } from '#core/define.ts';
import { SkillName } from '#core/model/texts.ts';
import { limitParam } from '#core/page.ts';
import { listAttempts, takeLastLines } from '../../rules/run-attempts.ts';
import { parseEvents } from '../../rules/trace.ts';
import { RunName } from '../shared/trace-shapes.ts';

const streams = ['stdout', 'stderr'] as const;
/** Part of a log that is read from its end. */
const maxTailBytes = 1 << 16;

export const traceOutput = query({
  name: 'trace.output',
  summary: 'Print what the skills of a run printed, also while it runs',
  params: strictObject({
    run: RunName,
    phase: optional(
      pipe(string(), maxLength(64, 'must have at most 64 characters'), description('Only this phase'), metadata({ value: 'PHASE' })),
    ),
    skill: optional(pipe(SkillName, description('Only this skill'), metadata({ value: 'SKILL' }))),
    stream: optional(pipe(picklist(streams), description('Only this stream (default: both)'))),
    limit: limitParam(200, 'Number of lines from the end of each output'),
  }),
  result: strictObject({
    outputs: array(
      strictObject({
        phase: string(),
        skill: string(),
        attempt: number(),
        stream: picklist(streams),
        bytes: number(),
        text: string(),
        isCut: boolean(),
      }),
    ),
  }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace output', args: ['run'], short: { n: 'limit' }, view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { run: 'run-a', stream: 'stdout' } },
  async run({ platform, project }, { run: name, phase, skill, stream, limit }) {
    const runner = await platform.createRunner(project);
    const { runId, trace } = findRun(runner, name);
    const { lines } = parseEvents((trace && runner.traces.read(trace)?.text) || '');
    const attempts = listAttempts(lines.map(({ line }) => line)).filter(
      (each) => (phase === undefined || each.phase === phase) && (skill === undefined || each.skill === skill),
    );
    const outputs = attempts.flatMap((each) =>
      (stream === undefined ? streams : [stream]).flatMap((one) => {
        // The runner redacts the logs before it writes them.
        const log = runner.runs.readEnd(runId, `${each.phase}/${each.skill}/${each.attempt}/${one}.log`, maxTailBytes);
        if (log === undefined || log.bytes === 0) return [];
        const text = takeLastLines(log.text, limit);
        return [{ ...each, stream: one, bytes: log.bytes, text, isCut: log.isCut || text.length < log.text.length }];
      }),
    );
    return outputs.length === 0 ? noData({ outputs }) : answer({ outputs }, {});
  },
});
