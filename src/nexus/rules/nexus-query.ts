import { canonicalId, type TaskId } from '#core/model/scalars.ts';
import { type FarId, projectName } from '../model/nexus.ts';

export const querySyntax = '<project>:T001, <project>:<text> or *:<text>';

export type NexusQuery = { project: string; id: TaskId } | { project: string; text: string };
interface Wrong {
  problem: string;
  /** What was likely meant. */
  meant?: string;
}

/** `web:T001` is a task of one project, `web:parser` a search in it, `*:parser` a search in all. The first colon parts the two; an id
 *  needs its T, so that numbers can be searched for. */
export function parseQuery(query: string): NexusQuery | Wrong {
  const colon = query.indexOf(':');
  if (colon < 0) return { problem: 'names no project', ...meant('*', query) };
  const project = query.slice(0, colon).trim();
  const text = query.slice(colon + 1).trim();
  if (text === '') return { problem: 'asks for nothing behind the colon' };
  if (project === '') return { problem: 'names no project before the colon', ...meant('*', text) };
  if (project !== '*' && !projectName.test(project)) {
    const lower = project.toLowerCase();
    return { problem: 'has a name before the colon that no project can have', ...(projectName.test(lower) ? meant(lower, text) : {}) };
  }
  const id = project !== '*' && /^(?:SG-|E-|T-)?T/i.test(text) ? canonicalId(text) : undefined;
  return id ? { project, id } : { project, text };
}

/** One task of another project: `web:T003`. */
export function parseFarId(text: string): FarId | Wrong {
  const parsed = parseQuery(text);
  if ('problem' in parsed) {
    const { problem, meant } = parsed;
    return { problem, ...(meant && !meant.startsWith('*') ? { meant } : {}) };
  }
  if (parsed.project === '*') return { problem: 'means all projects; a task is in one' };
  if ('id' in parsed) return { project: parsed.project, id: parsed.id };
  const id = canonicalId(parsed.text);
  return id ? { project: parsed.project, id } : { problem: 'has no task id behind the colon' };
}

/** For a command line: blanks of any kind are one space there. */
const meant = (project: string, text: string): { meant?: string } => {
  const words = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return words === '' || words.length > 200 ? {} : { meant: `${project}:${words}` };
};

/** The best of each project, then the second of each, and so on: no project hides the others. */
export function inTurn<T>(lists: T[][], most: number): T[] {
  const taken: T[] = [];
  for (let rank = 0; taken.length < most && lists.some((items) => items.length > rank); rank++)
    for (const items of lists) if (taken.length < most && rank < items.length) taken.push(items[rank]!);
  return taken;
}
