import { replaceJsonStrings } from '#lib/jsonc.ts';

/** Files that contain the version of a project. Each function replaces the characters of the version and keeps everything else. */
const updaters: Record<string, (text: string, plain: string) => string | undefined> = {
  'package.json': (text, plain) => replaceJsonStrings(text, [['version']], plain),
  'package-lock.json': (text, plain) => replaceJsonStrings(text, [['version'], ['packages', '', 'version']], plain),
  'Cargo.toml': (text, plain) => replaceInToml(text, ['package', 'workspace.package'], plain),
  'pyproject.toml': (text, plain) => replaceInToml(text, ['project', 'tool.poetry'], plain),
  VERSION: (text, plain) =>
    text.replace(/^(\ufeff?\s*v?)\S[^\r\n]*?([ \t]*\r?\n|[ \t]*$)/, (_, before, after) => `${before}${plain}${after}`),
};

export const versionFiles = Object.keys(updaters);

/** Files whose version must be SemVer. */
export const semVerOnly = ['package.json', 'package-lock.json', 'Cargo.toml'];

/** Returns the text with the new version, or undefined if it contains no version. */
export function replaceVersion(file: string, text: string, plain: string): string | undefined {
  return updaters[file]?.(text, plain);
}

/** Replaces the version in the first of these tables that has one. */
function replaceInToml(text: string, tables: string[], plain: string): string | undefined {
  const lines = text.split('\n');
  const lineByTable = new Map<string, number>();
  let table = '';
  let multiline: string | undefined;
  lines.forEach((line, i) => {
    // A multi-line string may contain lines that look like a table.
    const marks = [...line.matchAll(/"""|'''/g)].map(([mark]) => mark);
    const isInside = multiline !== undefined;
    for (const mark of marks) multiline = multiline === undefined ? mark : multiline === mark ? undefined : multiline;
    if (isInside) return;
    const name = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?\r?$/.exec(line)?.[1];
    if (/^\s*\[/.test(line)) table = name?.replace(/\s*\.\s*/g, '.') ?? '[]';
    else if (/^\s*version\s*=\s*["'][^"']*["']/.test(line) && !lineByTable.has(table)) lineByTable.set(table, i);
  });
  const at = tables.map((each) => lineByTable.get(each)).find((line) => line !== undefined);
  if (at === undefined) return undefined;
  lines[at] = lines[at]!.replace(/^(\s*version\s*=\s*(["']))[^"']*/, (_, before) => `${before}${plain}`);
  return lines.join('\n');
}
