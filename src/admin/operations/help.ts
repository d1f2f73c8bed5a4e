import {
  array,
  boolean,
  description,
  type InferOutput,
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
import type { CommandDefinition } from '#core/define.ts';
import { type Operation, query, type Registry, type RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { exitCodes } from '#core/errors/exit-codes.ts';
import { helpTopics } from '#core/help-topics.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { formatUsage } from '#core/usage.ts';
import { findNearest } from '#lib/nearest.ts';
import { getErrorCatalog } from '../all-errors.ts';

const Summaries = optional(record(string(), string()));

/** Operations by gateway, each with its one line; small, because agents read it first. */
const Listing = strictObject({
  domains: optional(record(string(), number())),
  tier: optional(number()),
  /** The words that these commands begin with. */
  group: optional(string()),
  query: Summaries,
  mutate: Summaries,
  more: string(),
});

const Whole = strictObject({
  operation: string(),
  summary: string(),
  gateway: picklist(['query', 'mutate']),
  tier: number(),
  aliases: optional(array(string())),
  usage: string(),
  params: record(string(), unknown()),
  /** Further names under which it takes a parameter. */
  also: optional(record(string(), string())),
  results: array(string()),
  errors: optional(array(strictObject({ code: string(), exitCode: number() }))),
  /** Whose exit codes it has, where they are not those of cleo. */
  exitNamespace: optional(literal('skill')),
  example: strictObject({ params: record(string(), unknown()), command: string() }),
  seeAlso: optional(array(string())),
});

const SkillExit = strictObject({
  ...{ codes: string(), name: string(), class: string(), status: string(), isRetried: boolean(), action: string() },
});
export type SkillExit = InferOutput<typeof SkillExit>;
const SkillExits = strictObject({ skillExits: array(SkillExit) });

const Exits = strictObject({
  exits: array(strictObject({ code: number(), constant: string(), recoverable: string(), recovery: string() })),
});

/** A command that is a process and no operation. */
const Process = strictObject({
  process: string(),
  summary: string(),
  usage: string(),
  params: record(string(), unknown()),
});

const Help = union([Whole, Process, Exits, SkillExits, Listing]);

export const adminHelp = query({
  name: 'admin.help',
  summary: 'Explain operations: all of a tier or domain, or one in full',
  params: strictObject({
    operation: optional(
      pipe(
        string(),
        description(`An operation, a command or the first word of several; or ${helpTopics.join(', ')}`),
        metadata({ value: 'COMMAND' }),
      ),
    ),
    tier: optional(
      pipe(wholeNumber({ min: 0, max: 2 }), description('List the operations up to this tier: 0 minimal, 1 standard, 2 orchestrator')),
    ),
    domain: optional(pipe(string(), description('List the operations of one domain'))),
  }),
  result: strictObject({ help: Help }),
  errors: ['E_INVALID_OPERATION'],
  tier: 0,
  needs: 'nothing',
  cli: { command: 'help', args: ['operation'], variadic: true, raw: 'help', view: async () => (await import('../view/help.ts')).helpView },
  example: { call: { operation: 'tasks.show' } },
  async run({ registry }, { operation, tier, domain }) {
    if (operation === 'exit-codes') return { help: { exits: exitCodes } };
    if (operation === 'skill-exit-codes') return { help: { skillExits: (await import('#runs/rules/exit-rows.ts')).listExitRows() } };
    if (operation !== undefined) return { help: await topic(registry, domain ? `${domain}.${operation}` : operation, tier) };
    if (domain !== undefined) return { help: await domainListing(registry, domain, tier) };
    const entries = registry.entries.filter((entry) => entry.tier <= (tier ?? 0));
    return { help: { ...(tier === undefined ? { domains: domainsOf(registry) } : { tier }), ...(await listing(registry, entries)) } };
  },
});

const domainOf = (entry: RegistryEntry): string => entry.name.split('.', 1)[0]!;
const gatewayOf = (entry: Pick<RegistryEntry, 'kind'>): 'query' | 'mutate' => (entry.kind === 'query' ? 'query' : 'mutate');

function domainsOf(catalog: Registry): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of catalog.entries) counts[domainOf(entry)] = (counts[domainOf(entry)] ?? 0) + 1;
  return counts;
}

/** A name as an operation, as a command, as the first words of several, or as a domain. */
async function topic(catalog: Registry, name: string, tier: number | undefined) {
  const { entries } = catalog;
  const named = catalog.find(name);
  const called = entries.filter((entry) => entry.commands.includes(name));
  const one = named ?? called.find((entry) => !entry.select) ?? called[0];
  const below = entries.filter((entry) => entry.commands.some((command) => command.startsWith(`${name} `)));
  const { processes } = await import('./shared/processes.ts');
  if (one) {
    const others = [...called, ...below].filter((entry) => entry !== one);
    const sharing = processes.filter((process) => listCommandNames(process).some((command) => one.commands.includes(command)));
    return whole(await one.load(), [...new Set([...others, ...sharing].map((entry) => entry.name))]);
  }
  if (below.length > 0) return { group: name, ...(await listing(catalog, below)) };
  if (entries.some((entry) => domainOf(entry) === name)) return domainListing(catalog, name, tier);
  const process = processes.find((each) => each.name === name);
  if (process) return wholeProcess(process);
  const names = entries.flatMap((entry) => [entry.name, ...entry.aliases, ...entry.commands]);
  throw unknownName(name, [...helpTopics, ...names, ...processes.map((each) => each.name)]);
}

function domainListing(catalog: Registry, domain: string, tier = 2) {
  const entries = catalog.entries.filter((entry) => domainOf(entry) === domain);
  if (entries.length === 0) throw unknownName(domain, Object.keys(domainsOf(catalog)));
  return listing(
    catalog,
    entries.filter((entry) => entry.tier <= tier),
  );
}

const unknownName = (name: string, known: string[]): CleoError =>
  new CleoError('E_INVALID_OPERATION', { operation: name.slice(0, 100), suggestions: findNearest(name, known) });

async function listing(catalog: Registry, entries: RegistryEntry[]) {
  const found: { query: Record<string, string>; mutate: Record<string, string> } = { query: {}, mutate: {} };
  for (const entry of entries) found[gatewayOf(entry)][entry.name] = (await catalog.load(entry.name)).summary;
  return { ...found, more: 'admin.help {operation}, {domain} or {tier: 0-2}' };
}

async function wholeProcess(process: CommandDefinition) {
  const { createJsonSchema } = await import('#core/model/json-schema.ts');
  return {
    process: process.name,
    summary: process.summary,
    usage: formatUsage(process),
    params: createJsonSchema(process.params) as Record<string, unknown>,
  };
}

/** By exit code, as people look them up; without those whose code depends on what happened. */
const refusalsOf = ({ errors }: Operation): { code: string; exitCode: number }[] =>
  errors
    .filter((code) => !('exitOf' in getErrorCatalog()[code]))
    .map((code) => ({ code, exitCode: getErrorCatalog()[code].exit }))
    .sort((a, b) => a.exitCode - b.exitCode);

async function whole(operation: Operation, seeAlso: string[]) {
  const { createJsonSchema } = await import('#core/model/json-schema.ts');
  const errors = refusalsOf(operation);
  return {
    operation: operation.name,
    summary: operation.summary,
    gateway: gatewayOf(operation),
    tier: operation.tier,
    ...(operation.aliases?.length ? { aliases: operation.aliases } : {}),
    usage: formatUsage(operation),
    params: createJsonSchema(operation.params) as Record<string, unknown>,
    ...(operation.paramAliases ? { also: operation.paramAliases } : {}),
    results: Object.keys(operation.result.entries),
    ...(errors.length ? { errors } : {}),
    ...(operation.exitNamespace ? { exitNamespace: operation.exitNamespace } : {}),
    example: { params: operation.example.call, command: formatCommand(operation, operation.example.call) },
    ...(seeAlso.length ? { seeAlso } : {}),
  };
}
