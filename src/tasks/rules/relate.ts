import { toTaskNumber } from '#core/model/scalars.ts';
import { toTerms } from '#lib/terms.ts';
import type { RelationDiscovery } from '../model/relation.ts';
import type { ScoredTask, TaskRecord } from '../model/task.ts';

export type Relatable = Pick<TaskRecord, 'id' | 'title' | 'description' | 'labels' | 'files' | 'phase' | 'parentId' | 'depends'>;

const weights = { labels: 30, files: 30, words: 25, parent: 10, phase: 5 };

/** Scores candidates from 0 to 100 by what they share with the task, best first. Fields that the task leaves empty do not count, so a
 *  task without labels or files can still reach 100. */
export function suggestRelated(task: Relatable, candidates: Relatable[], threshold: number): ScoredTask[] {
  const words = getTitleWords(task);
  const maxPoints =
    (task.labels.length ? weights.labels : 0) +
    (task.files.length ? weights.files : 0) +
    (words.length ? weights.words : 0) +
    (task.parentId ? weights.parent : 0) +
    (task.phase ? weights.phase : 0);
  return excludeFamily(task, candidates)
    .map((other): ScoredTask => {
      const labels = findShared(task.labels, other.labels);
      const files = findShared(task.files, other.files);
      const otherWords = getTitleWords(other);
      const common = findShared(words, otherWords);
      const terms: [term: string, part: number][] = [
        [`labels ${labels.join(', ')}`, weights.labels * computeOverlap(labels, task.labels, other.labels)],
        [`files ${files.join(', ')}`, weights.files * computeOverlap(files, task.files, other.files)],
        [`title words ${common.join(', ')}`, weights.words * computeOverlap(common, words, otherWords)],
        [`parent ${task.parentId}`, task.parentId && task.parentId === other.parentId ? weights.parent : 0],
        [`phase ${task.phase}`, task.phase && task.phase === other.phase ? weights.phase : 0],
      ];
      return { taskId: other.id, title: other.title, ...scoreTerms(terms, maxPoints) };
    })
    .filter(({ score }) => score > 0 && score >= threshold)
    .sort((a, b) => b.score - a.score || toTaskNumber(a.taskId) - toTaskNumber(b.taskId));
}

/** Rounds so that the points of the reasons add up to the score. */
function scoreTerms(terms: [term: string, part: number][], maxPoints: number): Pick<ScoredTask, 'score' | 'reasons'> {
  let exact = 0;
  let score = 0;
  const reasons: ScoredTask['reasons'] = [];
  for (const [term, part] of terms) {
    exact += (100 * part) / maxPoints;
    const points = Math.round(exact) - score;
    score += points;
    if (points > 0) reasons.push({ term, points });
  }
  return { score, reasons };
}

/** Finds candidates that share labels, files, words or dependencies with the task, those with the most methods first. */
export function findRelated(task: Relatable, candidates: Relatable[]): RelationDiscovery[] {
  const words = getTitleWords(task);
  return excludeFamily(task, candidates)
    .map((other): RelationDiscovery => {
      const by: RelationDiscovery['by'] = [
        { method: 'labels', shared: findShared(task.labels, other.labels) },
        { method: 'files', shared: findShared(task.files, other.files) },
        { method: 'text', shared: findSharedText(words, other) },
        { method: 'depends', shared: findSharedDepends(task, other) },
      ];
      return { taskId: other.id, title: other.title, by: by.filter(({ shared }) => shared.length > 0) };
    })
    .filter(({ by }) => by.length > 0)
    .sort((a, b) => b.by.length - a.by.length || countShared(b) - countShared(a) || toTaskNumber(a.taskId) - toTaskNumber(b.taskId));
}

/** Returns the words of a title without stop words. */
export const getTitleWords = ({ title }: { title: string }): string[] =>
  [...new Set(toTerms(title))].filter((word) => word.length > 2 && !stopWords.has(word));

const stopWords = new Set(
  'add all and any are but can for from has into its more new not now off one our out set that the this use via was when with'.split(' '),
);

/** Leaves out the task, its parent and its children: containment is not a relation. */
const excludeFamily = (task: Relatable, candidates: Relatable[]): Relatable[] =>
  candidates.filter((other) => other.id !== task.id && other.id !== task.parentId && other.parentId !== task.id);

/** A single shared word is not enough, unless the title has no other. */
function findSharedText(words: string[], other: Relatable): string[] {
  const shared = findShared(words, [...toTerms(other.title), ...toTerms(other.description ?? '')]);
  return shared.length >= 2 || shared.length === words.length ? shared : [];
}

function findSharedDepends(task: Relatable, other: Relatable): string[] {
  const direct = task.depends.includes(other.id) ? [other.id] : other.depends.includes(task.id) ? [task.id] : [];
  return [...direct, ...findShared(task.depends, other.depends)];
}

const countShared = ({ by }: RelationDiscovery): number => by.reduce((sum, { shared }) => sum + shared.length, 0);

function findShared(a: string[], b: string[]): string[] {
  const items = new Set(b);
  return a.filter((item) => items.has(item));
}

/** Dice coefficient: 1 for equal lists, 0 for disjoint ones. */
const computeOverlap = (both: string[], a: string[], b: string[]): number =>
  both.length === 0 ? 0 : (2 * both.length) / (a.length + b.length);
