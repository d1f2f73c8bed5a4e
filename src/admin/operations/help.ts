import {
  array,
  boolean,
  description,
  literal,
  metadata,
  number,
  optional,
  picklist,
  pipe,
  record,
  strictObject,
  string,
  union,
  unknown,
} from 'valibot';
import { formatCommand, listCommandNames } from '#core/command-line.ts';
import { type CommandDefinition, listResultKeys, type Operation, query, type Registry, type RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { exitCodes } from '#core/errors/exit-codes.ts';
import { helpTopics } from '#core/help-topics.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { formatSignatures } from '#core/signature.ts';
import { formatUsage } from '#core/usage.ts';
import { countValues, omitEmpty } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { getErrorCatalog } from '../all-errors.ts';

const Lines = optional(union([record(string(), string()), array(string())]));

/** Operations by gateway with their summaries. The first help of an agent has signatures instead, so that the everyday operations need
 *  no further call. */
const Listing = strictObject({
  domains: optional(record(string(), number())),
  tier: optional(number()),
  /** Every operation is listed. */
  all: optional(literal(true)),
  /** The common first words of these commands. */
  group: optional(string()),
  query: Lines,
  mutate: Lines,
  more: string(),
});

const OperationHelp = strictObject({
  operation: string(),
  summary: string(),
  gateway: picklist(['query', 'mutate']),
  tier: number(),
  aliases: optional(array(string())),
  /** Other words for the command. */
  synonyms: optional(array(string())),
  usage: string(),
  params: record(string(), unknown()),
  /** Aliases of parameters. */
  also: optional(record(string(), string())),
  results: array(string()),
  errors: optional(array(strictObject({ code: string(), exitCode: number() }))),
  /** Set if its exit codes are not those of cleo. */
  exitNamespace: optional(literal('skill')),
  example: strictObject({ params: record(string(), unknown()), command: string() }),
  seeAlso: optional(array(string())),
});

const SkillExit = strictObject({
  codes: string(),
  name: string(),
  class: string(),
  status: string(),
  isRetried: boolean(),
  action: string(),
});

const SkillExitsHelp = strictObject({ skillExits: array(SkillExit) });

const ExitCodesHelp = strictObject({
  exits: array(
    strictObject({ code: number(), constant: string(), recoverable: string(), recovery: string(), errors: optional(array(string())) }),
  ),
});

/** A command that runs as a process instead of an operation. */
const ProcessHelp = strictObject({ process: string(), summary: string(), usage: string(), params: record(string(), unknown()) });

const Help = union([OperationHelp, ProcessHelp, ExitCodesHelp, SkillExitsHelp, Listing]);

export const adminHelp = query({
  name: 'admin.help',
  summary: 'Show help for operations, domains and tiers',
  params: strictObject({
    operation: optional(
      pipe(
        string(),
        description(`An operation, a command, the first word of several commands, or ${helpTopics.join(', ')}`),
        metadata({ value: 'COMMAND' }),
      ),
    ),
    tier: optional(
      pipe(wholeNumber({ min: 0, max: 2 }), description('List the operations up to this tier: 0 minimal, 1 standard, 2 orchestrator')),
    ),
    domain: optional(pipe(string(), description('List the operations of one domain'))),
    all: optional(pipe(boolean(), description('List all operations; on the command line by purpose'), metadata({ isRare: true }))),
  }),
  paramAliases: { command: 'operation', name: 'operation', topic: 'operation' },
  result: strictObject({ help: Help }),
  errors: ['E_INVALID_OPERATION'],
  tier: 0,
  needs: 'nothing',
  cli: { command: 'help', args: ['operation'], variadic: true, raw: 'help', view: async () => (await import('../view/help.ts')).helpView },
  example: { call: { operation: 'tasks.show' } },
  async run({ registry }, { operation, tier, domain, all }) {
    if (operation === 'exit-codes')
      return { help: { exits: exitCodes.map((row) => ({ ...row, ...omitEmpty({ errors: listErrorCodes(row.code) }) })) } };
    if (operation === 'skill-exit-codes') return { help: { skillExits: (await import('#runs/rules/exit-rows.ts')).listExitRows() } };
    if (operation !== undefined) return { help: await findTopic(registry, domain ? `${domain}.${operation}` : operation, tier) };
    if (domain !== undefined) return { help: await listDomain(registry, domain, tier) };
    if (all) return { help: { all, ...(await listOperations(registry, registry.entries)) } };
    const entries = registry.entries.filter((entry) => entry.tier <= (tier ?? 0));
    if (tier !== undefined) return { help: { tier, ...(await listOperations(registry, entries)) } };
    return { help: { domains: countByDomain(registry), ...(await listSignatures(entries)) } };
  },
});

/** Lists the error codes of an exit code. A code that ends in `_…` is completed with the name of the field. */
export const listErrorCodes = (exit: number): string[] =>
  Object.entries(getErrorCatalog())
    .filter(([, entry]) => entry.exit === exit && !('getExit' in entry))
    .map(([code, entry]) => ('code' in entry ? `${code}_…` : code));

const getDomain = (entry: RegistryEntry): string => entry.name.split('.', 1)[0]!;
const getGateway = (entry: Pick<RegistryEntry, 'kind'>): 'query' | 'mutate' => (entry.kind === 'query' ? 'query' : 'mutate');

const countByDomain = ({ entries }: Registry): Record<string, number> => countValues(entries.map(getDomain));

/** Finds help by operation, command, common first words of commands, or domain. */
async function findTopic(registry: Registry, name: string, tier: number | undefined) {
  const { entries } = registry;
  const byName = registry.find(name);
  const byCommand = entries.filter((entry) => entry.commands.includes(name));
  const one = byName ?? byCommand.find((entry) => !entry.select) ?? byCommand[0];
  const below = entries.filter((entry) => entry.commands.some((command) => command.startsWith(`${name} `)));
  const { processes } = await import('./shared/processes.ts');
  if (one) {
    const others = [...byCommand, ...below].filter((entry) => entry !== one);
    const sharedProcesses = processes.filter((process) => listCommandNames(process).some((command) => one.commands.includes(command)));
    return describeOperation(await one.load(), [...new Set([...others, ...sharedProcesses].map((entry) => entry.name))]);
  }
  if (below.length > 0) return { group: name, ...(await listOperations(registry, below)) };
  if (entries.some((entry) => getDomain(entry) === name)) return listDomain(registry, name, tier);
  const process = processes.find((each) => each.name === name);
  if (process) return describeProcess(process);
  const [{ resolveName }, { synonyms }] = await Promise.all([import('#core/operation-names.ts'), import('#core/synonyms.generated.ts')]);
  const resolved = resolveName(name, registry, synonyms);
  if (resolved) return describeOperation(await registry.load(resolved.operation), []);
  const names = entries.flatMap((entry) => [entry.name, ...entry.aliases, ...entry.commands]);
  throw createUnknownNameError(name, [...helpTopics, ...names, ...processes.map((each) => each.name)]);
}

function listDomain(registry: Registry, domain: string, tier = 2) {
  const entries = registry.entries.filter((entry) => getDomain(entry) === domain);
  if (entries.length === 0) throw createUnknownNameError(domain, Object.keys(countByDomain(registry)));
  return listOperations(
    registry,
    entries.filter((entry) => entry.tier <= tier),
  );
}

const createUnknownNameError = (name: string, known: string[]): CleoError =>
  new CleoError('E_INVALID_OPERATION', { operation: name.slice(0, 100), suggestions: findNearest(name, known) });

const more = 'admin.help {operation}: all parameters; {domain}; {tier: 0-2}';

async function listOperations(registry: Registry, entries: RegistryEntry[]) {
  const found: { query: Record<string, string>; mutate: Record<string, string> } = { query: {}, mutate: {} };
  for (const entry of entries) found[getGateway(entry)][entry.name] = (await registry.load(entry.name)).summary;
  return { ...found, more };
}

async function listSignatures(entries: RegistryEntry[]) {
  const operations = await Promise.all(entries.map((entry) => entry.load()));
  const signatures = formatSignatures(operations);
  const pick = (gateway: string): string[] => signatures.filter((_, i) => getGateway(operations[i]!) === gateway);
  return { query: pick('query'), mutate: pick('mutate'), more };
}

async function describeProcess(process: CommandDefinition) {
  const { createJsonSchema } = await import('#core/model/json-schema.ts');
  return {
    process: process.name,
    summary: process.summary,
    usage: formatUsage(process),
    params: createJsonSchema(process.params) as Record<string, unknown>,
  };
}

/** Lists errors by exit code, without those whose exit code varies. */
const listErrors = ({ errors }: Operation): { code: string; exitCode: number }[] =>
  errors
    .filter((code) => !('getExit' in getErrorCatalog()[code]))
    .map((code) => ({ code, exitCode: getErrorCatalog()[code].exit }))
    .sort((a, b) => a.exitCode - b.exitCode);

async function describeOperation(operation: Operation, seeAlso: string[]) {
  const { createJsonSchema } = await import('#core/model/json-schema.ts');
  const { name, summary, tier, aliases, synonyms = [], shortcuts = {}, params, paramAliases, exitNamespace, example } = operation;
  return {
    operation: name,
    summary,
    gateway: getGateway(operation),
    tier,
    ...omitEmpty({ aliases, synonyms: [...synonyms, ...Object.keys(shortcuts)] }),
    usage: formatUsage(operation),
    params: createJsonSchema(params) as Record<string, unknown>,
    ...omitEmpty({ also: paramAliases }),
    results: listResultKeys(operation),
    ...omitEmpty({ errors: listErrors(operation), exitNamespace }),
    example: { params: example.call, command: formatCommand(operation, example.call) },
    ...omitEmpty({ seeAlso }),
  };
}
