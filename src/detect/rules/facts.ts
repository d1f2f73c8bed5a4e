import { parse as parseToml } from 'smol-toml';
import { isPlainObject } from '#lib/collections.ts';
import { parseJsonc } from '#lib/jsonc.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import { parseYaml } from '#lib/yaml/parse-yaml.ts';
import { isFixture } from './ignored-folders.ts';

/** The file names of a project, and the texts of the files that describe how it is built. */
export interface ProjectFacts {
  /** Paths relative to the root, separated by `/`. */
  files: readonly string[];
  texts: ReadonlyMap<string, string>;
  /** Files in parent folders of the root that may belong to it, such as `../../pnpm-lock.yaml`; nearest first. */
  above: readonly string[];
}

/** A folder of a project. File names are relative to it; `toPath` converts them to paths from the root. */
export interface ProjectDir {
  /** Path from the root; empty for the root itself. */
  path: string;
  facts: ProjectFacts;
  /** Files below it, without fixtures and samples. */
  files: readonly string[];
  /** Folders below it that contain a file of this name, including fixtures: a workspace may list any folder. */
  foldersWith(name: string): string[];
  toPath(name: string): string;
  has(name: string): boolean;
  /** Returns the first of these files that exists. */
  findFirst(...names: string[]): string | undefined;
  readText(name: string): string | undefined;
}

export function openDir(facts: ProjectFacts, path: string): ProjectDir {
  const prefix = path === '' ? '' : `${path}/`;
  const files = facts.files.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length));
  const all = new Set(files);
  return {
    path,
    facts,
    files: files.filter((file) => !isFixture(file)),
    foldersWith: (name) => files.filter((file) => file.endsWith(`/${name}`)).map((file) => file.slice(0, -name.length - 1)),
    toPath: (name) => prefix + name,
    has: (name) => all.has(name),
    findFirst: (...names) => names.find((name) => all.has(name)),
    readText: (name) => facts.texts.get(prefix + name),
  };
}

type Tree = Record<string, unknown>;

/** Manifests can contain anything; a value of another type counts as an empty table. */
export const toTable = (value: unknown): Tree => (isPlainObject(value) ? value : {});
export const toStrings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
export const getAtPath = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce((found: unknown, key) => (Object.hasOwn(toTable(found), key) ? toTable(found)[key] : undefined), value);

export const readJsonFile = (dir: ProjectDir, name: string): Tree => readTable(dir, name, parseJson);
export const readTomlFile = (dir: ProjectDir, name: string): Tree => readTable(dir, name, parseToml);
export const readYamlFile = (dir: ProjectDir, name: string): Tree => readTable(dir, name, (text) => parseYaml(text, { maxAliasCount: 50 }));

/** Reads the keys of an object in a JSON file with comments. */
export function readKeys(dir: ProjectDir, name: string, key: string): string[] {
  const parsed = parseJsonc(dir.readText(name) ?? '{}');
  return 'value' in parsed ? Object.keys(toTable(getAtPath(parsed.value, key))) : [];
}

function readTable(dir: ProjectDir, name: string, parse: (text: string) => unknown): Tree {
  try {
    return toTable(parse(stripBom(dir.readText(name) ?? '')));
  } catch {
    return {};
  }
}
