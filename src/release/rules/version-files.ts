import { isProblem, type JsonNode, memberOf, readJsonc } from '#lib/jsonc.ts';

/** Files that hold the version of a project, and how it is changed in them: the characters of the version, and nothing else. */
const files: Record<string, (text: string, plain: string) => string | undefined> = {
  'package.json': (text, plain) => inJson(text, [['version']], plain),
  'package-lock.json': (text, plain) => inJson(text, [['version'], ['packages', '', 'version']], plain),
  'Cargo.toml': (text, plain) => inToml(text, ['package', 'workspace.package'], plain),
  'pyproject.toml': (text, plain) => inToml(text, ['project', 'tool.poetry'], plain),
  VERSION: (text, plain) =>
    text.replace(/^(\ufeff?\s*v?)\S[^\r\n]*?([ \t]*\r?\n|[ \t]*$)/, (_, before, after) => `${before}${plain}${after}`),
};

export const versionFiles = Object.keys(files);

/** Readers of these take nothing but SemVer. */
export const semVerOnly = ['package.json', 'package-lock.json', 'Cargo.toml'];

/** The text with the version in it; undefined where it holds none to be changed. */
export function bumped(file: string, text: string, plain: string): string | undefined {
  const change = files[file];
  return change?.(text, plain);
}

function inJson(text: string, paths: string[][], plain: string): string | undefined {
  const root = readJsonc(text);
  if (isProblem(root)) return undefined;
  const found = paths.flatMap((path) => path.reduce<JsonNode | undefined>((node, key) => memberOf(node, key)?.value, root) ?? []);
  const places = found.filter(({ kind }) => kind === 'string').sort((a, b) => b.start - a.start);
  if (places.length === 0) return undefined;
  return places.reduce((whole, { start, end }) => whole.slice(0, start) + JSON.stringify(plain) + whole.slice(end), text);
}

/** In the first of these tables that has a version of its own. */
function inToml(text: string, tables: string[], plain: string): string | undefined {
  const lines = text.split('\n');
  const places = new Map<string, number>();
  let table = '';
  let multiline: string | undefined;
  lines.forEach((line, i) => {
    // A text over several lines may hold anything, also what looks like a table.
    const marks = [...line.matchAll(/"""|'''/g)].map(([mark]) => mark);
    const isInside = multiline !== undefined;
    for (const mark of marks) multiline = multiline === undefined ? mark : multiline === mark ? undefined : multiline;
    if (isInside) return;
    const name = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?\r?$/.exec(line)?.[1];
    if (/^\s*\[/.test(line)) table = name?.replace(/\s*\.\s*/g, '.') ?? '[]';
    else if (/^\s*version\s*=\s*["'][^"']*["']/.test(line) && !places.has(table)) places.set(table, i);
  });
  const at = tables.map((each) => places.get(each)).find((place) => place !== undefined);
  if (at === undefined) return undefined;
  lines[at] = lines[at]!.replace(/^(\s*version\s*=\s*(["']))[^"']*/, (_, before) => `${before}${plain}`);
  return lines.join('\n');
}
