import { statSync } from 'node:fs';
import { files } from './files.ts';

/** A second change in this time could leave the same time on the file. */
const settledMs = 1000;
/** The state of a file that does not exist. */
const missing = '';

/** Returns a function that reads and parses files. A server reads its settings for every call: it looks at the state of the file then, reads
 *  it again after a change only, and parses it only if the text is another one. */
export function createFileCache<T>(parse: (text: string | undefined) => T): (path: string) => T {
  const known = new Map<string, { state: string | undefined; text: string | undefined; content: T }>();
  return (path) => {
    const last = known.get(path);
    // Before the text, so that a change in between is noticed by the next call.
    const state = readState(path);
    if (last && state !== undefined && last.state === state) return last.content;
    const text = state === missing ? undefined : files.readText(path);
    const content = last && last.text === text ? last.content : parse(text);
    known.set(path, { state, text, content });
    return content;
  };
}

/** Describes the state of a file, which is another one after a change; undefined if it changed a moment ago. */
function readState(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status) return missing;
    return Date.now() - status.ctimeMs < settledMs ? undefined : `${status.ino} ${status.size} ${status.ctimeMs}`;
  } catch {
    // Reading the file reports the problem.
    return undefined;
  }
}
