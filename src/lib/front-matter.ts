import { LineCounter, parseDocument } from 'yaml';
import { isMap } from './is-map.ts';

export interface FrontMatter {
  /** Every scalar is a text: a version is not a number, and a date is what was written. */
  fields: Record<string, unknown>;
  body: string;
}

const longest = 16_384;

/** The YAML between two lines of three dashes at the top of a text, and what follows it; or why there is none. */
export function readFrontMatter(text: string): FrontMatter | { problem: string } {
  const clean = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const [, yaml, body] = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n([\s\S]*))?$/m.exec(clean) ?? [];
  if (!/^---[ \t]*\n/.test(clean) || yaml === undefined) return { problem: 'does not begin with front matter between two lines of ---' };
  if (yaml.length > longest) return { problem: `has front matter of more than ${longest} characters` };
  // What follows the end of a document would be left out without a word.
  if (/^\.\.\.\s*$/m.test(yaml)) return { problem: 'has front matter with more than one document' };
  const lines = new LineCounter();
  const read = parseDocument(yaml, { schema: 'failsafe', lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const [error] = read.errors;
  // The line of dashes is the first.
  if (error) return { problem: `line ${lines.linePos(error.pos[0]).line + 1}: ${error.message}` };
  try {
    const fields: unknown = read.toJS({ maxAliasCount: 0 });
    return isMap(fields) ? { fields, body: body ?? '' } : { problem: 'has front matter that is no list of names and values' };
  } catch (thrown) {
    return { problem: `has front matter that refers to itself: ${(thrown as Error).message}` };
  }
}
