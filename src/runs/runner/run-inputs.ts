import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { RunRecord } from '../model/trace.ts';
import { fingerprint, inputsFile } from './run-context.ts';

/** Reads the inputs of an earlier run. Undefined if they were not stored, or only with redacted values. */
export function readStoredInputs(platform: RunnerPlatform, { run_id: run, asked }: RunRecord): Record<string, unknown> | undefined {
  if (asked.inputs_sha256 === null) return {};
  const inputs = parseJson(platform.runs.read(run, inputsFile));
  return isPlainObject(inputs) && fingerprint(platform, inputs) === asked.inputs_sha256 ? inputs : undefined;
}

/** Finds the intent of an earlier run among `candidates`. Null if the run had none, undefined if no candidate matches. */
export function matchStoredIntent(
  platform: RunnerPlatform,
  { asked }: RunRecord,
  candidates: (string | null | undefined)[],
): string | null | undefined {
  if (asked.intent_sha256 === null) return null;
  return candidates.find((text) => typeof text === 'string' && fingerprint(platform, text) === asked.intent_sha256);
}
