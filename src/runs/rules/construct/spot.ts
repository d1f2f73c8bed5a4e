import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml';
import { nearest } from '#lib/nearest.ts';
import type { Finding } from '../../model/construct.ts';

/** A place in a manifest: what stands there, and what it is called. Nothing stands at a place that was left out. */
export interface Spot {
  node: Node | undefined;
  where: string;
}

/** Reads values at places. What is wrong is noted with its line, and read as left out; so one look finds everything. */
export interface Reader {
  top: Spot;
  findings: Finding[];
  isThere(spot: Spot): boolean;
  /** The values of a map whose keys are known; others are named, with what was probably meant. */
  fields<K extends string>(spot: Spot, known: readonly K[]): Record<K, Spot>;
  /** Names and values of a map whose keys are the author's. */
  entries(spot: Spot): [name: string, value: Spot][];
  items(spot: Spot): Spot[];
  isMap(spot: Spot): boolean;
  isList(spot: Spot): boolean;
  text(spot: Spot): string | undefined;
  /** A list of texts, or one text. */
  texts(spot: Spot): string[];
  number(spot: Spot, limits: { min: number; max: number; whole?: true }): number | undefined;
  flag(spot: Spot): boolean | undefined;
  oneOf<T extends string>(spot: Spot, known: readonly T[]): T | undefined;
  /** The id of a schema that there is: what is asked by another could never be met. */
  schema(spot: Spot, id?: string): string | undefined;
  error(spot: Spot, problem: string, fix?: string): void;
  warning(spot: Spot, problem: string, fix?: string): void;
  /** What stands there as a plain value. */
  plain(spot: Spot): unknown;
}

/** Enough for what people write by hand; a bomb needs more. */
const mostAliases = 100;

export function readerOf(yaml: string, schemas: readonly string[] = []): Reader {
  const lines = new LineCounter();
  // The parser looks for a key that stands twice by comparing each with all others, which takes minutes where there are many.
  const doc = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, logLevel: 'error', uniqueKeys: false, merge: true });
  const findings: Finding[] = [];
  const note = (severity: Finding['severity'], where: string, offset: number | undefined, problem: string, fix?: string): void => {
    const at = offset === undefined ? undefined : lines.linePos(offset);
    findings.push({ severity, where, ...(at ? { line: at.line, column: at.col } : {}), problem, ...(fix ? { fix } : {}) });
  };
  for (const { pos, message, code } of doc.errors)
    note('error', '', pos[0], code === 'MULTIPLE_DOCS' ? 'has a second document; one file is one' : wordsOf(message));
  if (findings.length === 0) {
    for (const key of twice(doc)) note('error', '', key.range?.[0], `${nameOf(key)} stands there twice`);
    const flat = flatten(doc);
    if (flat !== undefined) note('error', '', 0, flat);
  }
  const top: Spot = { node: findings.length > 0 ? undefined : (doc.contents ?? undefined), where: '' };

  const resolved = ({ node }: Spot): Node | undefined => (isAlias(node) ? node.resolve(doc) : node) ?? undefined;
  const error = (spot: Spot, problem: string, fix?: string): void => note('error', spot.where, spot.node?.range?.[0], problem, fix);
  const warning = (spot: Spot, problem: string, fix?: string): void => note('warning', spot.where, spot.node?.range?.[0], problem, fix);
  const isThere = (spot: Spot): boolean => {
    const node = resolved(spot);
    return node !== undefined && !(isScalar(node) && node.value === null);
  };
  const wrong = (spot: Spot, wanted: string): undefined => {
    if (isThere(spot)) error(spot, `must be ${wanted}`);
    return undefined;
  };
  const scalar = (spot: Spot): unknown => {
    const node = resolved(spot);
    return isScalar(node) ? node.value : undefined;
  };
  const entries = (spot: Spot): [string, Spot][] => {
    const node = resolved(spot);
    if (!isMap(node)) return wrong(spot, 'names with values') ?? [];
    const own = new Map<string, Spot>();
    const taken: [string, Spot][] = [];
    for (const { key, value } of node.items as Pair<Node, Node | null>[]) {
      const name = nameOf(key);
      const at = { node: value ?? key, where: spot.where ? `${spot.where}.${name}` : name };
      if (name === mergeKey) taken.push(...(isList(at) ? items(at) : [at]).flatMap((one) => entries({ ...one, where: spot.where })));
      else own.set(name, at);
    }
    // What a map takes over from others stands behind its own, and the first that says it is heard.
    for (const [name, at] of taken) if (!own.has(name)) own.set(name, at);
    return [...own];
  };
  const text = (spot: Spot): string | undefined => {
    const value = scalar(spot);
    return typeof value === 'string' ? value : wrong(spot, 'a text; put it in quotes');
  };
  const items = (spot: Spot): Spot[] => {
    const node = resolved(spot);
    if (!isSeq(node)) return wrong(spot, 'a list') ?? [];
    return node.items.map((item, i) => ({ node: item as Node, where: `${spot.where}[${i}]` }));
  };
  const isList = (spot: Spot): boolean => isSeq(resolved(spot));
  return {
    top,
    findings,
    error,
    warning,
    isThere,
    entries,
    items,
    text,
    isList,
    isMap: (spot) => isMap(resolved(spot)),
    fields(spot, known) {
      const found = isThere(spot) ? entries(spot) : [];
      const names: readonly string[] = known;
      for (const [name, at] of found)
        if (!names.includes(name)) {
          const [meant] = nearest(name, [...names], 1);
          warning(at, `${JSON.stringify(name)} is not known here and is left aside`, meant && `did you mean ${meant}?`);
        }
      const byName = new Map(found);
      return Object.fromEntries(
        names.map((name) => [name, byName.get(name) ?? { node: undefined, where: spot.where ? `${spot.where}.${name}` : name }]),
      ) as Record<(typeof known)[number], Spot>;
    },
    texts: (spot) => {
      if (!isThere(spot)) return [];
      return (isList(spot) ? items(spot) : [spot]).flatMap((one) => text(one) ?? []);
    },
    number(spot, { min, max, whole }) {
      const value = scalar(spot);
      const wanted = `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`;
      const isFit = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
      return isFit ? value : wrong(spot, wanted);
    },
    flag(spot) {
      const value = scalar(spot);
      return typeof value === 'boolean' ? value : wrong(spot, 'true or false');
    },
    oneOf(spot, known) {
      const value = scalar(spot);
      const choices: readonly unknown[] = known;
      return choices.includes(value) ? (value as (typeof known)[number]) : wrong(spot, `one of ${known.join(', ')}`);
    },
    schema(spot, id = text(spot)) {
      if (id === undefined || schemas.includes(id)) return id;
      const [meant] = nearest(id, [...schemas], 1);
      const fix = meant ? `did you mean ${meant}?` : `write .cleo/schemas/${id}.doc.yaml`;
      error(spot, `there is no schema ${JSON.stringify(id)}`, fix);
      return id;
    },
    plain: (spot) => (resolved(spot) ? resolved(spot)?.toJS(doc, { maxAliasCount: mostAliases }) : undefined),
  };
}

const mergeKey = '<<';
const nameOf = (key: Node): string => (isScalar(key) ? String(key.source ?? key.value) : String(key));

/** Keys that their map has already. */
function twice(doc: Document): Node[] {
  const found: Node[] = [];
  visit(doc, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items as Pair<Node>[]) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || nameOf(key) === mergeKey) continue;
        if (seen.has(name)) found.push(key);
        seen.add(name);
      }
    },
  });
  return found;
}

/** Undefined, or why it cannot be written out: an alias that leads nowhere, or so many that they stand for a bomb. */
function flatten(doc: Document): string | undefined {
  try {
    doc.toJS({ maxAliasCount: mostAliases });
    return undefined;
  } catch (thrown) {
    return wordsOf((thrown as Error).message);
  }
}

/** What the parser says, as far as it says it to people. */
const wordsOf = (message: string): string => (/call stack/.test(message) ? 'is nested too deeply' : message.split('\n')[0]!.trim());
