import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { projectNamePattern, type RemoteTaskId } from '../model/nexus.ts';

export const querySyntax = '<project>:T001, <project>:<text> or *:<text>';

type NexusQuery = { project: string; id: TaskId } | { project: string; text: string };
interface QueryProblem {
  problem: string;
  /** A likely correction. */
  suggestion?: string;
}

/** Parses a query: `web:T001` is a task of one project, `web:parser` a search in it, `*:parser` a search in all projects. The first colon
 *  separates the parts. An id needs its T, so that numbers can be searched for. */
export function parseNexusQuery(query: string): NexusQuery | QueryProblem {
  const colon = query.indexOf(':');
  if (colon < 0) return { problem: 'has no project', ...suggestQuery('*', query) };
  const project = query.slice(0, colon).trim();
  const text = query.slice(colon + 1).trim();
  if (text === '') return { problem: 'has no text after the colon' };
  if (project === '') return { problem: 'has no project before the colon', ...suggestQuery('*', text) };
  if (project !== '*' && !projectNamePattern.test(project)) {
    const lower = project.toLowerCase();
    return {
      problem: 'has an invalid project name before the colon',
      ...(projectNamePattern.test(lower) ? suggestQuery(lower, text) : {}),
    };
  }
  const id = project !== '*' && /^(?:SG-|E-|T-)?T/i.test(text) ? parseTaskId(text) : undefined;
  return id ? { project, id } : { project, text };
}

/** Parses the id of a task in another project: `web:T003`. */
export function parseRemoteId(text: string): RemoteTaskId | QueryProblem {
  const parsed = parseNexusQuery(text);
  if ('problem' in parsed) {
    const { problem, suggestion } = parsed;
    return { problem, ...(suggestion && !suggestion.startsWith('*') ? { suggestion } : {}) };
  }
  if (parsed.project === '*') return { problem: 'names all projects; a task is in one project' };
  if ('id' in parsed) return { project: parsed.project, id: parsed.id };
  const id = parseTaskId(parsed.text);
  return id ? { project: parsed.project, id } : { problem: 'has no task id after the colon' };
}

/** Formats a corrected query for a command line, with whitespace normalized. */
const suggestQuery = (project: string, text: string): { suggestion?: string } => {
  const words = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return words === '' || words.length > 200 ? {} : { suggestion: `${project}:${words}` };
};

/** Takes the first item of each list, then the second of each, so that no project crowds out the others. */
export function interleave<T>(lists: T[][], limit: number): T[] {
  const taken: T[] = [];
  for (let rank = 0; taken.length < limit && lists.some((items) => items.length > rank); rank++)
    for (const items of lists) if (taken.length < limit && rank < items.length) taken.push(items[rank]!);
  return taken;
}
