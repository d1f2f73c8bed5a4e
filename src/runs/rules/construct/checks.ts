import { nearest } from '#lib/nearest.ts';
import type { ArtifactSpec, CheckSpec } from '../../model/construct.ts';
import { limits } from '../../model/construct-file.ts';
import { pathProblem } from './names.ts';
import type { Reader, Spot } from './spot.ts';

const plain = ['context_files_exist', 'operator_detected', 'git_clean'] as const;
const keyed = ['exists', 'env', 'command'] as const;

/** What phases need and make, by the names of the files without what follows the last dot. */
export type Documents = Map<string, ArtifactSpec[]>;

export function byBaseName(specs: ArtifactSpec[]): Documents {
  const found: Documents = new Map();
  for (const spec of specs) {
    const name = baseName(spec.path);
    const known = found.get(name);
    if (known) known.push(spec);
    else found.set(name, [spec]);
  }
  return found;
}

/** Checks by name. A check that does not exist never passes, so an unknown one is an error and not a warning. */
export function readChecks(reader: Reader, spot: Spot, declared: Documents): CheckSpec[] {
  if (!reader.isThere(spot)) return [];
  return reader.items(spot).flatMap((item) => {
    if (!reader.isMap(item)) {
      const name = reader.text(item);
      return name === undefined ? [] : (byName(reader, item, name, declared) ?? []);
    }
    const [first, ...others] = reader.entries(item);
    if (!first || others.length > 0) {
      reader.error(item, 'is one check: a name with its value');
      return [];
    }
    return withValue(reader, item, first[0], first[1], declared) ?? [];
  });
}

function byName(reader: Reader, spot: Spot, name: string, declared: Documents): CheckSpec | undefined {
  const known = plain.find((one) => one === name);
  if (known) return { kind: known, name };
  const id = /^(.+)_exists$/.exec(name)?.[1];
  if (id !== undefined) return { kind: 'exists', name, path: documentOf(reader, spot, id, declared).path };
  return unknown(reader, spot, name);
}

function withValue(reader: Reader, spot: Spot, name: string, value: Spot, declared: Documents): CheckSpec | undefined {
  if (name === 'exists') {
    const path = reader.text(value);
    const problem = path === undefined ? undefined : pathProblem(path);
    if (problem) reader.error(value, `${JSON.stringify(path)} ${problem}`);
    return path === undefined || problem ? undefined : { kind: 'exists', name, path };
  }
  if (name === 'env') {
    const variable = reader.text(value);
    return variable === undefined ? undefined : { kind: 'env', name, variable };
  }
  if (name === 'command') {
    const argv = reader.isList(value) ? reader.texts(value) : [];
    if (argv.length === 0) reader.error(value, 'must be a list: the program and its arguments');
    return argv.length === 0 ? undefined : { kind: 'command', name, argv, timeoutMs: 30_000 };
  }
  const id = /^(.+)_completeness$/.exec(name)?.[1];
  if (id === undefined) return unknown(reader, spot, name);
  const min = reader.number(value, limits.share);
  const { path, schema } = documentOf(reader, spot, id, declared);
  return min === undefined ? undefined : { kind: 'completeness', name, path, schema: schema ?? reader.schema(spot, `${id}-v1`)!, min };
}

function unknown(reader: Reader, spot: Spot, name: string): undefined {
  const [meant] = nearest(name, [...plain, ...keyed], 1);
  reader.error(spot, `there is no check ${JSON.stringify(name)}`, meant ? `did you mean ${meant}?` : undefined);
}

/** `prd` is the declared path whose file is called so; where none is, the one that documents of a project have by custom. */
function documentOf(reader: Reader, spot: Spot, id: string, declared: Documents): { path: string; schema: string | null } {
  const named = declared.get(id) ?? [];
  const paths = [...new Set(named.map(({ path }) => path))];
  if (paths.length > 1) reader.error(spot, `${JSON.stringify(id)} may be any of ${paths.join(', ')}`, 'name the path: exists: path');
  return { path: paths[0] ?? `grimoires/{project}/${id}.md`, schema: named.find(({ schema }) => schema !== null)?.schema ?? null };
}

const baseName = (path: string): string =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '');
