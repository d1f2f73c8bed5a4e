import { type BaseIssue, safeParse } from 'valibot';
import type { CommandDefinition } from '#core/define.ts';
import { describeParams } from '#core/shape.ts';
import { isPlainObject } from '#lib/collections.ts';
import type { CallOrigin } from './input-error.ts';

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

/** Parses the parameters of a call. A wrong shape (exit 2) is reported before a violated rule (exit 6). */
export async function parseParams(operation: CommandDefinition, input: unknown, origin: CallOrigin = {}): Promise<Record<string, unknown>> {
  if (!isPlainObject(input)) throw (await import('./input-error.ts')).createParamsError(operation);
  const given = applyAliases(input, operation.paramAliases);
  const parsed = safeParse(operation.params, given);
  const issues = parsed.success ? findMissing(operation, given) : (parsed.issues as BaseIssue<unknown>[]);
  if (parsed.success && issues.length === 0) return parsed.output as Record<string, unknown>;
  const { createInputError } = await import('./input-error.ts');
  throw createInputError(operation, given, issues, origin);
}

/** A task id is required only without several ids, which a schema of single parameters cannot say. */
export function findMissing({ cli, params }: CommandDefinition, given: Record<string, unknown>): BaseIssue<unknown>[] {
  const [first = ''] = cli.args ?? [];
  if (!cli.several || given[cli.several] !== undefined || given[first] !== undefined) return [];
  const isRequired = describeParams(params).some((shape) => shape.name === first && shape.isRequired);
  return isRequired ? [{ kind: 'schema', received: 'undefined', path: [{ key: first }] } as unknown as BaseIssue<unknown>] : [];
}

/** Checks that the parameters have the right shape; their values may still violate a rule. */
export function isValidShape(operation: CommandDefinition, input: Record<string, unknown>): boolean {
  const given = applyAliases(input, operation.paramAliases);
  const parsed = safeParse(operation.params, given);
  if (!parsed.success && parsed.issues.some((issue) => issue.kind === 'schema')) return false;
  return findMissing(operation, given).length === 0;
}

/** Renames aliases. A parameter that is passed under two names keeps the alias, so that parsing rejects it. */
export function applyAliases(input: object, aliases: Record<string, string> | undefined): Record<string, unknown> {
  if (!aliases) return input as Record<string, unknown>;
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    const known = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    given[Object.hasOwn(input, known) || known in given ? name : known] = value;
  }
  return given;
}
