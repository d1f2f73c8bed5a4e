import type { InferOutput } from 'valibot';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { Schemas } from '../../runner/artifacts.ts';
import { previewExecutions } from '../../runner/preview.ts';
import type { RunRequest } from '../../runner/run-context.ts';
import type { RunShape } from './run-result.ts';

/** Checks whether a run could start, without writing anything. */
export async function previewRun(runner: RunnerPlatform, request: RunRequest, schemas: Schemas): Promise<InferOutput<typeof RunShape>> {
  const planned = await previewExecutions(runner, request, schemas);
  return {
    id: 'dry-run',
    status: planned.every(({ isReady }) => isReady) ? 'ready' : 'not_ready',
    exitCode: 0,
    executions: planned.map(({ isReady: _, ...execution }) => execution),
  };
}
