import type { InferOutput } from 'valibot';
import type { Ground } from '#platform/ground-port.ts';
import { lookoutOf } from '../../runner/found.ts';
import { preview } from '../../runner/preview.ts';
import type { Surroundings } from '../../runner/run.ts';
import type { RunRequest } from '../../runner/run-state.ts';
import type { RunShape } from './outcome.ts';

/** What a run would begin with, without a trace of it. */
export async function dryRun(ground: Ground, request: RunRequest, { schemas }: Surroundings): Promise<InferOutput<typeof RunShape>> {
  const planned = await preview(ground, request, lookoutOf(ground, schemas));
  return {
    id: 'dry-run',
    status: planned.every(({ isReady }) => isReady) ? 'ready' : 'not_ready',
    exitCode: 0,
    executions: planned.map(({ isReady: _, ...shown }) => shown),
  };
}
