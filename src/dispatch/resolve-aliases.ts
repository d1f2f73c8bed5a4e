import { describeParams } from '#core/command-line.ts';
import type { Operation, RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { findTasksByAlias, mayBeAlias } from '#tasks/operations/shared/aliases.ts';
import type { App } from './call-context.ts';
import { nameFields, toFields } from './lenient-params.ts';

/** Replaces ids of other tools in the parameters that take task ids. Undefined if there are none. Only a call that does not parse gets
 *  here, so that calls with task ids do not pay for it. */
export async function resolveAliases(app: App, entry: RegistryEntry, input: unknown): Promise<Record<string, unknown> | undefined> {
  const operation = await entry.load();
  const found = findAliases(operation, input);
  if (!found) return undefined;
  const { given, fields, texts } = found;
  const tasks = await lookUp(app, texts);
  if (tasks.size === 0) return undefined;
  return { ...given, ...Object.fromEntries(fields.map((field) => [field, replaceTexts(given[field], tasks)])) };
}

/** Checks for texts in the place of task ids that may be ids of other tools. */
export const mayHaveAliases = (operation: Operation, input: unknown): boolean => findAliases(operation, input) !== undefined;

function findAliases(
  operation: Operation,
  input: unknown,
): { given: Record<string, unknown>; fields: string[]; texts: string[] } | undefined {
  const given = toFields(input);
  if (!given || operation.needs !== 'store') return undefined;
  const shapes = describeParams(operation.params);
  const taking = new Set(shapes.filter(({ value }) => value === 'T###').map(({ name }) => name));
  const names = nameFields(
    given,
    shapes.map(({ name }) => name),
    operation.paramAliases,
  );
  const fields = Object.keys(given).filter((field) => taking.has(names.get(field) ?? field));
  const texts = fields.flatMap((field) => listTexts(given[field])).filter(mayBeAlias);
  return texts.length === 0 ? undefined : { given, fields, texts };
}

/** A store that cannot be opened is reported by the call itself. */
async function lookUp(app: App, texts: string[]): Promise<Map<string, TaskId>> {
  try {
    return await (await app.openStore('read')).read((store) => findTasksByAlias(store, texts));
  } catch (error) {
    if (error instanceof CleoError && error.row === 'E_INVALID_INPUT') throw error;
    return new Map();
  }
}

const splitList = (text: string): string[] => text.split(',').map((item) => item.trim());
const listTexts = (value: unknown): string[] =>
  typeof value === 'string' ? splitList(value) : Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function replaceTexts(value: unknown, tasks: Map<string, TaskId>): unknown {
  const replace = (text: unknown): unknown => (typeof text === 'string' ? (tasks.get(text) ?? text) : text);
  if (typeof value === 'string') return splitList(value).map(replace).join(',');
  return Array.isArray(value) ? value.map(replace) : value;
}
