import { isMap } from '#lib/is-map.ts';
import type { Ground } from '#platform/ground-port.ts';
import type { RunRecord } from '../model/trace.ts';
import { markOf } from './run-state.ts';

/** Beside the record, where inputs are to be kept whole. */
export const inputsFile = 'inputs.json';

/** What a run was given, where that is kept as it was: values may not have been kept, or not without hiding some of them. */
export function keptInputs(ground: Ground, { run_id: run, asked }: RunRecord): Record<string, unknown> | undefined {
  if (asked.inputs_sha256 === null) return {};
  const kept = parsed(ground.runs.read(run, inputsFile));
  return isMap(kept) && markOf(ground, kept) === asked.inputs_sha256 ? kept : undefined;
}

/** What a run was for: of what is said of that, what it was told. Null where it was told nothing. */
export function keptIntent(ground: Ground, { asked }: RunRecord, said: (string | null | undefined)[]): string | null | undefined {
  if (asked.intent_sha256 === null) return null;
  return said.find((text) => typeof text === 'string' && markOf(ground, text) === asked.intent_sha256);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
