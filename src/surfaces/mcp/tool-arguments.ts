import type { Registry } from '#core/define.ts';
import type { Call } from '#dispatch/call-context.ts';
import { nameFields, toFields } from '#dispatch/lenient-params.ts';
import { isPlainObject } from '#lib/collections.ts';

/** The arguments of a tool, read as a call. `problem` says why they are not one. */
export type ToolCall = Pick<Call, 'operation' | 'params' | 'session' | 'agent' | 'idempotencyKey' | 'warnings'> | { problem: string };

type Fields = Record<string, unknown>;

const argumentNames = ['domain', 'operation', 'params', 'session', 'agent', 'idempotencyKey'] as const;
type ArgumentName = (typeof argumentNames)[number];

/** Other names of the arguments. */
const argumentAliases: Record<string, ArgumentName> = {
  op: 'operation',
  action: 'operation',
  method: 'operation',
  command: 'operation',
  parameters: 'params',
  args: 'params',
  arguments: 'params',
  input: 'params',
  sessionId: 'session',
  agentId: 'agent',
};

/** Arguments that a client adds to every call: Gemini CLI orders parallel calls with `wait_for_previous`. */
const clientArguments = new Set(['wait_for_previous']);

/** Reads the arguments of a tool. A parameter of the operation next to `params` is taken; anything else that is unknown is ignored
 *  with a warning. A write without parameters is rejected if an unknown argument may have been meant as one, because its default
 *  would be another task: the focused one. */
export async function readToolArguments(input: unknown, isMutation: boolean, registry: Registry): Promise<ToolCall> {
  const given = toFields(input);
  if (!given) return { problem: 'the arguments must be an object' };
  const { known, extra } = splitArguments(given);
  const operation = joinName(known.domain, known.operation);
  if (operation === undefined) return { problem: 'operation is required' };
  const params = known.params ?? (isPlainObject(known.operation) ? known.operation : {});
  const fields = toFields(params);
  const moved = fields ? await pickParams(operation, fields, extra, registry) : {};
  const unknown = Object.keys(extra).filter((name) => !Object.hasOwn(moved, name) && !clientArguments.has(name));
  const isEmpty = fields !== undefined && Object.keys(fields).length + Object.keys(moved).length === 0;
  if (isMutation && isEmpty && unknown.length > 0)
    return { problem: `${formatNames(unknown)}: not an argument and not a parameter of ${operation}; parameters go into params` };
  return {
    operation,
    params: fields ? { ...fields, ...moved } : params,
    ...pickIdentity(known),
    ...(unknown.length > 0 ? { warnings: [`ignored ${formatNames(unknown)}: parameters go into params`] } : {}),
  };
}

/** Separates the arguments by name, in any spelling: `session_id` is `session`. The first of two spellings is taken. */
function splitArguments(given: Fields): { known: Partial<Record<ArgumentName, unknown>>; extra: Fields } {
  const known: Partial<Record<ArgumentName, unknown>> = {};
  const extra: Fields = {};
  for (const name of argumentNames) if (Object.hasOwn(given, name)) known[name] = given[name];
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(known, name)) continue;
    const meant = matchArgument(name);
    if (meant !== undefined && known[meant] === undefined) known[meant] = value;
    else extra[name] = value;
  }
  return { known, extra };
}

const matchArgument = (name: string): ArgumentName | undefined => {
  const key = name.toLowerCase().replace(/[_-]/g, '');
  return (
    argumentNames.find((each) => each.toLowerCase() === key) ??
    Object.entries(argumentAliases).find(([alias]) => alias.toLowerCase() === key)?.[1]
  );
};

/** Joins domain and operation; either may hold both. */
function joinName(domain: unknown, operation: unknown): string | undefined {
  const names = [domain, operation].flatMap((name) => (typeof name === 'string' && name.trim() !== '' ? [name.trim()] : []));
  const [first = '', second] = names;
  if (names.length === 0 || (second === undefined && typeof operation !== 'string' && !/[.\s/:_]/.test(first))) return undefined;
  return second === undefined || second.startsWith(`${first}.`) ? (second ?? first) : `${first}.${second}`;
}

/** Picks the arguments that are parameters of the operation and not given in `params`. */
async function pickParams(operation: string, params: Fields, extra: Fields, registry: Registry): Promise<Fields> {
  const names = Object.keys(extra).filter((name) => !clientArguments.has(name));
  if (names.length === 0) return {};
  const entry = registry.find(operation) ?? (await resolveEntry(operation, registry));
  const definition = await entry?.load();
  if (!definition) return {};
  const meant = nameFields({ ...params, ...extra }, Object.keys(definition.params.entries), definition.paramAliases);
  return Object.fromEntries(names.filter((name) => meant.has(name)).map((name) => [name, extra[name]]));
}

async function resolveEntry(operation: string, registry: Registry) {
  const [{ resolveName }, { synonyms }] = await Promise.all([import('#core/operation-names.ts'), import('#core/synonyms.generated.ts')]);
  return registry.find(resolveName(operation, registry, synonyms)?.operation ?? '');
}

/** Reads the texts that say who calls. A number is an id too; `null` and an empty text are none. */
function pickIdentity(known: Partial<Record<ArgumentName, unknown>>): Partial<Record<'session' | 'agent' | 'idempotencyKey', string>> {
  const given = (['session', 'agent', 'idempotencyKey'] as const).flatMap((name) => {
    const value = known[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(given);
}

const formatNames = (names: string[]): string => names.map((name) => JSON.stringify(name.slice(0, 60))).join(', ');
