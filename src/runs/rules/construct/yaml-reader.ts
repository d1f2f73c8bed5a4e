import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, visit } from 'yaml';
import { defined } from '#lib/defined.ts';
import { findNearest } from '#lib/nearest.ts';
import { parseYamlDocument } from '#lib/yaml/parse-yaml.ts';
import type { ManifestFinding } from '../../model/construct.ts';

/** A value of a manifest and its dotted path. `raw` is undefined for a key that is absent. */
export interface YamlNode {
  raw: Node | undefined;
  where: string;
}

/** Reads typed values from a manifest. A wrong value is recorded as a finding with its line and read as absent, so that one pass
 *  reports all errors. */
export interface YamlReader {
  top: YamlNode;
  findings: ManifestFinding[];
  isPresent(node: YamlNode): boolean;
  /** The values of a map with known keys. An unknown key is a warning that suggests the nearest known one. */
  fields<K extends string>(node: YamlNode, known: readonly K[]): Record<K, YamlNode>;
  /** The entries of a map whose keys the author chooses. */
  entries(node: YamlNode): [name: string, value: YamlNode][];
  items(node: YamlNode): YamlNode[];
  isMap(node: YamlNode): boolean;
  isList(node: YamlNode): boolean;
  text(node: YamlNode): string | undefined;
  /** A list of strings, or one string. */
  texts(node: YamlNode): string[];
  number(node: YamlNode, limits: { min: number; max: number; whole?: true }): number | undefined;
  boolean(node: YamlNode): boolean | undefined;
  oneOf<T extends string>(node: YamlNode, known: readonly T[]): T | undefined;
  /** The id of a known schema. An unknown id is an error, because a check against it could never pass. */
  schema(node: YamlNode, id?: string): string | undefined;
  addError(node: YamlNode, problem: string, fix?: string): void;
  addWarning(node: YamlNode, problem: string, fix?: string): void;
  plainValue(node: YamlNode): unknown;
}

/** Enough for manifests written by hand; an alias bomb needs more. */
const maxAliases = 100;

export function createYamlReader(yaml: string, schemas: readonly string[] = []): YamlReader {
  const lines = new LineCounter();
  // `uniqueKeys` is off because the parser compares every key with all others, which takes minutes for many keys.
  const doc = parseYamlDocument(yaml, { lineCounter: lines, logLevel: 'error', uniqueKeys: false, merge: true });
  const findings: ManifestFinding[] = [];
  const addFinding = (
    severity: ManifestFinding['severity'],
    where: string,
    offset: number | undefined,
    problem: string,
    fix?: string,
  ): void => {
    const at = offset === undefined ? undefined : lines.linePos(offset);
    findings.push({ severity, where, ...defined({ line: at?.line, column: at?.col }), problem, ...defined({ fix }) });
  };
  for (const { pos, message, code } of doc.errors)
    addFinding(
      'error',
      '',
      pos[0],
      code === 'MULTIPLE_DOCS' ? 'has a second document; use one document per file' : formatParserError(message),
    );
  if (findings.length === 0) {
    for (const key of findDuplicateKeys(doc)) addFinding('error', '', key.range?.[0], `${formatKey(key)} is declared twice`);
    const problem = checkAliases(doc);
    if (problem !== undefined) addFinding('error', '', 0, problem);
  }
  const top: YamlNode = { raw: findings.length > 0 ? undefined : (doc.contents ?? undefined), where: '' };

  const resolve = ({ raw }: YamlNode): Node | undefined => (isAlias(raw) ? raw.resolve(doc) : raw) ?? undefined;
  const addError = (node: YamlNode, problem: string, fix?: string): void =>
    addFinding('error', node.where, node.raw?.range?.[0], problem, fix);
  const addWarning = (node: YamlNode, problem: string, fix?: string): void =>
    addFinding('warning', node.where, node.raw?.range?.[0], problem, fix);
  const isPresent = (node: YamlNode): boolean => {
    const raw = resolve(node);
    return raw !== undefined && !(isScalar(raw) && raw.value === null);
  };
  const reject = (node: YamlNode, expected: string): undefined => {
    if (isPresent(node)) addError(node, `must be ${expected}`);
    return undefined;
  };
  const readScalar = (node: YamlNode): unknown => {
    const raw = resolve(node);
    return isScalar(raw) ? raw.value : undefined;
  };
  const entries = (node: YamlNode): [string, YamlNode][] => {
    const raw = resolve(node);
    if (!isMap(raw)) return reject(node, 'a map') ?? [];
    const own = new Map<string, YamlNode>();
    const mergedIn: [string, YamlNode][] = [];
    for (const { key, value } of raw.items as Pair<Node, Node | null>[]) {
      const name = formatKey(key);
      const at = { raw: value ?? key, where: joinPath(node, name) };
      if (name === mergeKey) mergedIn.push(...(isList(at) ? items(at) : [at]).flatMap((one) => entries({ ...one, where: node.where })));
      else own.set(name, at);
    }
    // Own keys win over merged ones, and among merged maps the first wins.
    for (const [name, at] of mergedIn) if (!own.has(name)) own.set(name, at);
    return [...own];
  };
  const text = (node: YamlNode): string | undefined => {
    const value = readScalar(node);
    return typeof value === 'string' ? value : reject(node, 'a string; put it in quotes');
  };
  const items = (node: YamlNode): YamlNode[] => {
    const raw = resolve(node);
    if (!isSeq(raw)) return reject(node, 'a list') ?? [];
    return raw.items.map((item, i) => ({ raw: item as Node, where: `${node.where}[${i}]` }));
  };
  const isList = (node: YamlNode): boolean => isSeq(resolve(node));
  return {
    top,
    findings,
    addError,
    addWarning,
    isPresent,
    entries,
    items,
    text,
    isList,
    isMap: (node) => isMap(resolve(node)),
    fields(node, known) {
      const found = isPresent(node) ? entries(node) : [];
      const names: readonly string[] = known;
      for (const [name, at] of found)
        if (!names.includes(name)) {
          const [suggestion] = findNearest(name, [...names], 1);
          addWarning(at, `unknown key ${JSON.stringify(name)} is ignored`, suggestion && `did you mean ${suggestion}?`);
        }
      const byName = new Map(found);
      return Object.fromEntries(names.map((name) => [name, byName.get(name) ?? { raw: undefined, where: joinPath(node, name) }])) as Record<
        (typeof known)[number],
        YamlNode
      >;
    },
    texts: (node) => {
      if (!isPresent(node)) return [];
      return (isList(node) ? items(node) : [node]).flatMap((one) => text(one) ?? []);
    },
    number(node, { min, max, whole }) {
      const value = readScalar(node);
      const isValid = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
      return isValid ? value : reject(node, `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
    },
    boolean(node) {
      const value = readScalar(node);
      return typeof value === 'boolean' ? value : reject(node, 'true or false');
    },
    oneOf(node, known) {
      const value = readScalar(node);
      const choices: readonly unknown[] = known;
      return choices.includes(value) ? (value as (typeof known)[number]) : reject(node, `one of ${known.join(', ')}`);
    },
    schema(node, id = text(node)) {
      if (id === undefined || schemas.includes(id)) return id;
      const [suggestion] = findNearest(id, [...schemas], 1);
      const fix = suggestion ? `did you mean ${suggestion}?` : `write .cleo/schemas/${id}.doc.yaml`;
      addError(node, `there is no schema ${JSON.stringify(id)}`, fix);
      return id;
    },
    plainValue: (node) => resolve(node)?.toJS(doc, { maxAliasCount: maxAliases }),
  };
}

const mergeKey = '<<';
const formatKey = (key: Node): string => (isScalar(key) ? String(key.source ?? key.value) : String(key));
const joinPath = ({ where }: YamlNode, name: string): string => (where ? `${where}.${name}` : name);

function findDuplicateKeys(doc: Document): Node[] {
  const found: Node[] = [];
  visit(doc, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items as Pair<Node>[]) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || formatKey(key) === mergeKey) continue;
        if (seen.has(name)) found.push(key);
        seen.add(name);
      }
    },
  });
  return found;
}

/** Reports an alias that does not resolve, or so many aliases that they would expand to a bomb. */
function checkAliases(doc: Document): string | undefined {
  try {
    doc.toJS({ maxAliasCount: maxAliases });
    return undefined;
  } catch (error) {
    return formatParserError((error as Error).message);
  }
}

/** The first line of the parser's message. A stack overflow is reported as what causes it. */
const formatParserError = (message: string): string =>
  /call stack/.test(message) ? 'is nested too deeply' : message.split('\n')[0]!.trim();
