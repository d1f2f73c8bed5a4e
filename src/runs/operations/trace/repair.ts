import { nullable, number, strictObject, string } from 'valibot';
import { type JobContext, job, noChange } from '#core/define.ts';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../../errors/skill.ts';
import { eventsIn } from '../../rules/trace.ts';
import { aloneWith } from '../../runner/alone.ts';
import { findRun, isLive, type KeptRun, recordOf } from '../../runner/kept-runs.ts';
import { RunName } from '../shared/trace-shapes.ts';
import { lookAt } from './verify.ts';

export const traceRepair = job({
  name: 'trace.repair',
  summary: 'Keep what is sound of a trace, and move the rest into a file beside it',
  params: strictObject({ run: RunName }),
  result: strictObject({
    repaired: strictObject({ run: string(), trace: string(), lines: number(), moved: number(), file: nullable(string()) }),
  }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  scope: 'admin',
  exits: 'skill',
  cli: { command: 'trace repair', args: ['run'] },
  example: { world: ['trace run-a'], call: { run: 'run-a' }, exit: 102 },
  async run({ platform, project, changes }, { run: asked }) {
    const ground = await platform.ground(project);
    const kept = findRun(ground, asked);
    return aloneWith(ground, kept.runId, () => repaired(ground, kept, changes));
  },
});

function repaired(ground: Ground, kept: KeptRun, changes: JobContext['changes']) {
  const record = recordOf(ground, kept.runId);
  if (isLive(ground, record)) throw skillRefusal(75, `${kept.runId} is under way`, 'cleo trace list', { run: kept.runId });
  const [looked] = kept.trace ? lookAt(ground, kept) : [];
  if (!looked || !kept.trace) throw skillRefusal(66, `${kept.runId} has no trace`, 'cleo trace list', { run: kept.runId });
  const { sound, soundHead, broken } = looked.verified;
  const { text } = ground.traces.read(kept.trace)!;
  const all = text.split('\n').length - 1;
  const isTorn = !text.endsWith('\n') && text !== '';
  // Nothing can be moved of a trace that only lacks its end; but what vouches for that end can be put right.
  const isShort = broken !== undefined && sound === all && !isTorn;
  if (!broken && !isTorn) return noChange({ repaired: { run: kept.runId, trace: kept.trace, lines: all, moved: 0, file: null } });
  const file = isShort ? null : ground.traces.cut(kept.trace, sound);
  const last = eventsIn(text).lines.findLast(({ number: at }) => at <= sound)?.line.seq ?? 0;
  const note = ground.runs.read(kept.runId, 'run.json');
  if (record && note !== undefined)
    ground.runs.write(kept.runId, 'run.json', `${JSON.stringify({ ...(JSON.parse(note) as object), head: soundHead, lines: last })}\n`);
  changes.updated.push(kept.runId);
  return { repaired: { run: kept.runId, trace: kept.trace, lines: sound, moved: all - sound + (isTorn ? 1 : 0), file } };
}
