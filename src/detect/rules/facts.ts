import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { readJsonc } from '#lib/jsonc.ts';
import { isFixture } from './sidelines.ts';

/** What is known of a project: names, and the texts of the files that say how it is built. */
export interface ProjectFacts {
  /** Paths of files from the root, with `/` between. */
  files: readonly string[];
  texts: ReadonlyMap<string, string>;
  /** Files in the folders above the root that it may belong to, as `../../pnpm-lock.yaml`, the nearest first. */
  above: readonly string[];
}

/** A folder of a project, and what can be asked of it. Names are from the folder; `at` turns them to paths from the root. */
export interface Place {
  /** From the root; empty for the root itself. */
  folder: string;
  facts: ProjectFacts;
  /** What is below it, but for what only looks like a part of it. */
  files: readonly string[];
  /** The folders below it that have a file of this name: what a workspace names is part of it, whatever it looks like. */
  foldersWith(name: string): string[];
  at(name: string): string;
  has(name: string): boolean;
  /** The first of these that is there. */
  first(...names: string[]): string | undefined;
  text(name: string): string | undefined;
}

export function placeIn(facts: ProjectFacts, folder: string): Place {
  const prefix = folder === '' ? '' : `${folder}/`;
  const files = facts.files.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  const all = new Set(files);
  return {
    folder,
    facts,
    files: files.filter((path) => !isFixture(path)),
    foldersWith: (name) => files.filter((path) => path.endsWith(`/${name}`)).map((path) => path.slice(0, -name.length - 1)),
    at: (name) => prefix + name,
    has: (name) => all.has(name),
    first: (...names) => names.find((name) => all.has(name)),
    text: (name) => facts.texts.get(prefix + name),
  };
}

type Tree = Record<string, unknown>;

/** A table in a file that anybody may have written: whatever is not one is an empty one. */
export const table = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : {};
export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
export const dig = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce((found: unknown, key) => (Object.hasOwn(table(found), key) ? table(found)[key] : undefined), value);

export const readJson = (text: string | undefined): Tree => table(tried(() => JSON.parse(bare(text ?? '{}'))));
export const readToml = (text: string | undefined): Tree => table(tried(() => parseToml(bare(text ?? ''))));
export const jsonIn = (place: Place, name: string): Tree => readJson(place.text(name));
export const tomlIn = (place: Place, name: string): Tree => readToml(place.text(name));
export const yamlIn = (place: Place, name: string): Tree =>
  table(tried(() => parseYaml(bare(place.text(name) ?? ''), { maxAliasCount: 50 })));

/** The names in an object of a file that may have comments in it. */
export function keysIn(place: Place, name: string, key: string): string[] {
  const read = readJsonc(place.text(name) ?? '{}');
  if ('problem' in read) return [];
  const found = read.items?.find((item) => item.key === key)?.value;
  return (found?.items ?? []).flatMap((item) => item.key ?? []);
}

const bare = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

function tried(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
