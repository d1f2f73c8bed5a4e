import { safeParse } from 'valibot';
import type { CommandDefinition } from '#core/define.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import type { CallOrigin } from './input-error.ts';
import { applyAliases, findMissing, parseParams } from './parse.ts';

interface ReadParams {
  params: Record<string, unknown>;
  /** The parameters in their canonical form before parsing, if they had to be corrected. */
  corrected?: Record<string, unknown>;
  warnings?: string[];
}

/** Parses the parameters of a call. `resolveIds` replaces ids of other tools; without a result there are none. Only a call that is not
 *  valid loads the rules of tolerant input and is corrected by them. */
export async function readParams(
  operation: CommandDefinition,
  input: unknown,
  origin: CallOrigin = {},
  resolveIds?: () => Promise<Record<string, unknown> | undefined>,
): Promise<ReadParams> {
  const given = isPlainObject(input) ? applyAliases(input, operation.paramAliases) : undefined;
  const strict = given && safeParse(operation.params, given);
  if (given && strict?.success && findMissing(operation, given).length === 0) return { params: strict.output as Record<string, unknown> };
  const resolved = await resolveIds?.();
  const corrected = (await import('./lenient-params.ts')).correctParams(operation, resolved ?? input);
  const params = await parseParams(operation, corrected ? corrected.params : input, origin);
  return { params, ...(corrected ? { corrected: corrected.params, warnings: corrected.warnings } : {}) };
}
