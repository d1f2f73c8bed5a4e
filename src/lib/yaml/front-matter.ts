import { LineCounter } from 'yaml';
import { isPlainObject } from '../collections.ts';
import { stripBom } from '../parse-json.ts';
import { parseYamlDocument } from './parse-yaml.ts';

export interface FrontMatter {
  /** All scalars are strings, so that a version does not become a number and a date stays as written. */
  fields: Record<string, unknown>;
  body: string;
}

const maxLength = 16_384;

/** Parses the YAML between two `---` lines at the top of a text. Returns the problem if the front matter is missing or not valid. */
export function parseFrontMatter(text: string): FrontMatter | { problem: string } {
  const clean = stripBom(text).replaceAll('\r\n', '\n');
  const [, yaml, body] = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n([\s\S]*))?$/m.exec(clean) ?? [];
  if (!/^---[ \t]*\n/.test(clean) || yaml === undefined) return { problem: 'does not begin with front matter between two lines of ---' };
  if (yaml.length > maxLength) return { problem: `has front matter of more than ${maxLength} characters` };
  // The parser would silently ignore everything after the end of a document.
  if (/^\.\.\.\s*$/m.test(yaml)) return { problem: 'has front matter with more than one document' };
  const lines = new LineCounter();
  const read = parseYamlDocument(yaml, { schema: 'failsafe', lineCounter: lines, logLevel: 'silent' });
  const [error] = read.errors;
  // Line 1 is the opening `---`.
  if (error) return { problem: `line ${lines.linePos(error.pos[0]).line + 1}: ${error.message}` };
  try {
    const fields: unknown = read.toJS({ maxAliasCount: 0 });
    return isPlainObject(fields) ? { fields, body: body ?? '' } : { problem: 'has front matter that is not a map' };
  } catch (thrown) {
    return { problem: `has front matter that refers to itself: ${(thrown as Error).message}` };
  }
}
