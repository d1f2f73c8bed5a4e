import { groupBy } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import type { ArtifactSpec, CheckSpec } from '../../model/construct.ts';
import { manifestLimits } from '../../model/construct-file.ts';
import { findManifestPathProblem } from './names.ts';
import type { YamlNode, YamlReader } from './yaml-reader.ts';

const checksWithoutValue = ['context_files_exist', 'operator_detected', 'git_clean'] as const;
const checksWithValue = ['exists', 'env', 'command'] as const;

/** The artifacts of all phases by file name without extension. */
export type DocumentIndex = Map<string, ArtifactSpec[]>;

export const indexByBaseName = (specs: ArtifactSpec[]): DocumentIndex => groupBy(specs, ({ path }) => getBaseName(path));

/** Reads named checks. An unknown name is an error and not a warning, because such a check would never pass. */
export function readChecks(reader: YamlReader, node: YamlNode, documents: DocumentIndex): CheckSpec[] {
  if (!reader.isPresent(node)) return [];
  return reader.items(node).flatMap((item) => {
    if (!reader.isMap(item)) {
      const name = reader.text(item);
      return name === undefined ? [] : (readNamedCheck(reader, item, name, documents) ?? []);
    }
    const [first, ...others] = reader.entries(item);
    if (!first || others.length > 0) {
      reader.addError(item, 'must be one check: a name with its value');
      return [];
    }
    return readCheckWithValue(reader, item, first[0], first[1], documents) ?? [];
  });
}

function readNamedCheck(reader: YamlReader, node: YamlNode, name: string, documents: DocumentIndex): CheckSpec | undefined {
  const known = checksWithoutValue.find((one) => one === name);
  if (known) return { kind: known, name };
  const id = /^(.+)_exists$/.exec(name)?.[1];
  if (id !== undefined) return { kind: 'exists', name, path: resolveDocument(reader, node, id, documents).path };
  return reportUnknownCheck(reader, node, name);
}

function readCheckWithValue(
  reader: YamlReader,
  node: YamlNode,
  name: string,
  value: YamlNode,
  documents: DocumentIndex,
): CheckSpec | undefined {
  if (name === 'exists') {
    const path = reader.text(value);
    const problem = path === undefined ? undefined : findManifestPathProblem(path);
    if (problem) reader.addError(value, `${JSON.stringify(path)} ${problem}`);
    return path === undefined || problem ? undefined : { kind: 'exists', name, path };
  }
  if (name === 'env') {
    const variable = reader.text(value);
    return variable === undefined ? undefined : { kind: 'env', name, variable };
  }
  if (name === 'command') {
    const argv = reader.isList(value) ? reader.texts(value) : [];
    if (argv.length === 0) reader.addError(value, 'must be a list: the program and its arguments');
    return argv.length === 0 ? undefined : { kind: 'command', name, argv, timeoutMs: 30_000 };
  }
  const id = /^(.+)_completeness$/.exec(name)?.[1];
  if (id === undefined) return reportUnknownCheck(reader, node, name);
  const min = reader.number(value, manifestLimits.share);
  const { path, schema } = resolveDocument(reader, node, id, documents);
  return min === undefined ? undefined : { kind: 'completeness', name, path, schema: schema ?? reader.schema(node, `${id}-v1`)!, min };
}

function reportUnknownCheck(reader: YamlReader, node: YamlNode, name: string): undefined {
  const [suggestion] = findNearest(name, [...checksWithoutValue, ...checksWithValue], 1);
  reader.addError(node, `there is no check ${JSON.stringify(name)}`, suggestion ? `did you mean ${suggestion}?` : undefined);
}

/** Resolves an id such as `prd` to the declared artifact with that file name, or else to the conventional path of project documents. */
function resolveDocument(
  reader: YamlReader,
  node: YamlNode,
  id: string,
  documents: DocumentIndex,
): { path: string; schema: string | null } {
  const named = documents.get(id) ?? [];
  const paths = [...new Set(named.map(({ path }) => path))];
  if (paths.length > 1) reader.addError(node, `${JSON.stringify(id)} is ambiguous: ${paths.join(', ')}`, 'use the path: exists: path');
  return { path: paths[0] ?? `grimoires/{project}/${id}.md`, schema: named.find(({ schema }) => schema !== null)?.schema ?? null };
}

const getBaseName = (path: string): string =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '');
