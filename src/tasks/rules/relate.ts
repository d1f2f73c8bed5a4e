import { seqOf, type TaskId } from '#core/model/scalars.ts';
import { terms } from '#lib/terms.ts';

export interface Relatable {
  id: TaskId;
  title: string;
  description?: string;
  labels: string[];
  files: string[];
  phase?: string;
  parentId?: TaskId;
  depends: TaskId[];
}

export interface Suggestion {
  taskId: TaskId;
  title: string;
  score: number;
  reasons: { term: string; points: number }[];
}

export type Method = 'labels' | 'files' | 'text' | 'depends';

export interface Discovery {
  taskId: TaskId;
  title: string;
  by: { method: Method; shared: string[] }[];
}

const weights = { labels: 30, files: 30, words: 25, parent: 10, phase: 5 };

/** How much two tasks have in common, from 0 to 100: 100 is a task like this one in all that this one says of itself, so that a
 *  task without labels or files is not held to them. At least `threshold`, the closest first. */
export function suggestions(task: Relatable, candidates: Relatable[], threshold: number): Suggestion[] {
  const words = titleWords(task);
  const possible =
    (task.labels.length ? weights.labels : 0) +
    (task.files.length ? weights.files : 0) +
    (words.length ? weights.words : 0) +
    (task.parentId ? weights.parent : 0) +
    (task.phase ? weights.phase : 0);
  return others(task, candidates)
    .map((other): Suggestion => {
      const labels = shared(task.labels, other.labels);
      const files = shared(task.files, other.files);
      const otherWords = titleWords(other);
      const common = shared(words, otherWords);
      const terms: [term: string, part: number][] = [
        [`labels ${labels.join(', ')}`, weights.labels * overlap(labels, task.labels, other.labels)],
        [`files ${files.join(', ')}`, weights.files * overlap(files, task.files, other.files)],
        [`title words ${common.join(', ')}`, weights.words * overlap(common, words, otherWords)],
        [`parent ${task.parentId}`, task.parentId && task.parentId === other.parentId ? weights.parent : 0],
        [`phase ${task.phase}`, task.phase && task.phase === other.phase ? weights.phase : 0],
      ];
      return { taskId: other.id, title: other.title, ...scored(terms, possible) };
    })
    .filter(({ score }) => score > 0 && score >= threshold)
    .sort((a, b) => b.score - a.score || seqOf(a.taskId) - seqOf(b.taskId));
}

/** Rounded so that the points of the reasons add up to the score. */
function scored(terms: [term: string, part: number][], possible: number): Pick<Suggestion, 'score' | 'reasons'> {
  let exact = 0;
  let score = 0;
  const reasons: Suggestion['reasons'] = [];
  for (const [term, part] of terms) {
    exact += (100 * part) / possible;
    const points = Math.round(exact) - score;
    score += points;
    if (points > 0) reasons.push({ term, points });
  }
  return { score, reasons };
}

/** Tasks that share something with this one, and by which method each was found; the most shared first. */
export function discoveries(task: Relatable, candidates: Relatable[]): Discovery[] {
  const words = titleWords(task);
  return others(task, candidates)
    .map((other): Discovery => {
      const found: Discovery['by'] = [
        { method: 'labels', shared: shared(task.labels, other.labels) },
        { method: 'files', shared: shared(task.files, other.files) },
        { method: 'text', shared: sharedText(words, other) },
        { method: 'depends', shared: sharedDepends(task, other) },
      ];
      return { taskId: other.id, title: other.title, by: found.filter((by) => by.shared.length > 0) };
    })
    .filter(({ by }) => by.length > 0)
    .sort((a, b) => b.by.length - a.by.length || countOf(b) - countOf(a) || seqOf(a.taskId) - seqOf(b.taskId));
}

/** What a title is about, without the words that every title has. */
export const titleWords = ({ title }: { title: string }): string[] =>
  [...new Set(terms(title))].filter((word) => word.length > 2 && !common.has(word));

const common = new Set(
  'add all and any are but can for from has into its more new not now off one our out set that the this use via was when with'.split(' '),
);

/** Containment is a relation already. */
const others = (task: Relatable, candidates: Relatable[]): Relatable[] =>
  candidates.filter((other) => other.id !== task.id && other.id !== task.parentId && other.parentId !== task.id);

/** One word in common says little, unless it is all there is. */
function sharedText(words: string[], other: Relatable): string[] {
  const found = shared(words, [...terms(other.title), ...terms(other.description ?? '')]);
  return found.length >= 2 || found.length === words.length ? found : [];
}

function sharedDepends(task: Relatable, other: Relatable): string[] {
  const direct = task.depends.includes(other.id) ? [other.id] : other.depends.includes(task.id) ? [task.id] : [];
  return [...direct, ...shared(task.depends, other.depends)];
}

const countOf = ({ by }: Discovery): number => by.reduce((sum, { shared }) => sum + shared.length, 0);

function shared(a: string[], b: string[]): string[] {
  const known = new Set(b);
  return a.filter((item) => known.has(item));
}

/** 1 where both have the same, 0 where they have nothing in common. */
const overlap = (both: string[], a: string[], b: string[]): number => (both.length === 0 ? 0 : (2 * both.length) / (a.length + b.length));
