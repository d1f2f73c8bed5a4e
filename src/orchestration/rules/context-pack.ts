import type { HistoryEntry } from '#core/model/audit.ts';
import { clipText, countMissing, fitAnswer, type Omission, type Section } from '#lib/budget.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Pack, PackCriterion, PackSection } from '../model/pack.ts';

type PackLists = { [K in Exclude<PackSection, 'labels' | 'files'>]: NonNullable<Pack[K]> };

/** Everything a pack can contain. The lists are complete, except for a very long history, which is read up to a limit. */
export interface PackFacts extends PackLists {
  task: TaskRecord;
  holder?: string | undefined;
  children: { id: string; status: string }[];
  /** Number of history entries that were not read. */
  moreHistory: number;
  /** Largest budget that a caller may pass. */
  maxTokens: number;
}

export interface PackAnswer {
  pack: Pack;
  omitted: Omission[];
}

type CountTokens = (answer: PackAnswer) => number;
type EstimateCost = (value: unknown) => number;
type NumberedCriterion = PackCriterion & { n: number };

/** Fits the pack of a task into a token budget, measured on the whole answer. The task's identity and criteria are always included,
 *  shortened if necessary; then the description, with at most half of the remaining budget; then the lists in order of importance.
 *  Returns `minBudget`, the smallest budget that would do, when this one is too small. */
export function fitPack(
  facts: PackFacts,
  budget: number,
  countTokens: CountTokens,
  estimateCost: EstimateCost,
): PackAnswer | { minBudget: number } {
  const uncut = buildSections(facts, Number.POSITIVE_INFINITY);
  const all: PackAnswer = { pack: buildPack(facts, fullDetail, Number.POSITIVE_INFINITY, uncut), omitted: [] };
  const wholeTokens = countTokens(all);
  if (wholeTokens <= budget && uncut.every((list) => countMissing(list, list.items.length) === 0)) return all;
  const omitRest = createRestOmission(facts, wholeTokens);
  const lists = buildSections(facts, Math.max(120, Math.floor(budget / 2)));
  const hasNoLists = lists.every(({ items }) => items.length === 0);

  const countHead = (level: DetailLevel, length: number): number =>
    countTokens({ pack: buildPack(facts, level, length, []), omitted: [omitRest(99_999)] });
  const minBudget = countHead(minDetail, 0);
  if (minBudget > budget) return { minBudget };
  const addShare = (used: number, part: number): number => used + (budget - used) * part;
  const criteriaTokens = addShare(minBudget, hasNoLists && !facts.task.description ? 1 : 2 / 3);
  const level = detailLevels.find((each) => countHead(each, 0) <= criteriaTokens) ?? minDetail;
  const descriptionTokens = addShare(countHead(level, 0), hasNoLists ? 1 : 1 / 2);
  const length = descriptionLengths.find((each) => countHead(level, each) <= descriptionTokens) ?? 0;
  return fillPackLists(facts, budget, { level, length, lists, omitRest, countTokens, estimateCost });
}

/** Like `fitPack`, but includes the task itself in full at any cost and spends the budget on the lists around it. */
export function fitPackAroundTask(facts: PackFacts, budget: number, countTokens: CountTokens, estimateCost: EstimateCost): PackAnswer {
  const length = Number.POSITIVE_INFINITY;
  const omitRest = createRestOmission(facts, facts.maxTokens + 1);
  const lists = buildSections(facts, Math.max(120, budget));
  const taskTokens = countTokens({ pack: buildPack(facts, fullDetail, length, []), omitted: [] });
  return fillPackLists(facts, taskTokens + budget, {
    level: fullDetail,
    length,
    lists,
    omitRest,
    countTokens,
    estimateCost,
  }) as PackAnswer;
}

interface PackChoice {
  level: DetailLevel;
  length: number;
  lists: Section<PackSection>[];
  omitRest: (count: number) => Omission;
  countTokens: CountTokens;
  estimateCost: EstimateCost;
}

function fillPackLists(
  facts: PackFacts,
  budget: number,
  { level, length, lists, ...options }: PackChoice,
): PackAnswer | { minBudget: number } {
  const shortened = listShortened(facts, level, length);
  // Shortened parts of the task itself are reported in the same way as omitted list items.
  const ownSections = shortened.map(({ section, count, expand }): Section<string> => ({ name: section, items: [], more: count, expand }));
  const fitted = fitAnswer([...ownSections, ...lists], budget, {
    build: (kept, omitted): PackAnswer => ({
      pack: buildPack(
        facts,
        level,
        length,
        lists.map((list) => ({ ...list, items: list.items.slice(0, kept[list.name]) })),
      ),
      omitted,
    }),
    ...options,
  });
  return 'answer' in fitted ? fitted.answer : { minBudget: fitted.minBudget };
}

/** Limits for a task's identity and criteria. */
interface DetailLevel {
  /** Maximum length of the title. */
  title: number;
  /** Maximum length of each criterion's text. If absent, criteria are reduced to number and state. */
  text?: number;
  /** Lists each child by id; otherwise children of one state are grouped. */
  hasChildren?: true;
  /** Maximum number of rows for the criteria. */
  rows?: number;
}

const fullDetail: DetailLevel = { title: 200, text: 1000, hasChildren: true };
const minDetail: DetailLevel = { title: 8, rows: 1 };
const detailLevels: DetailLevel[] = [
  fullDetail,
  ...[1000, 500, 300, 180, 110, 70, 45].map((text) => ({ title: 200, text })),
  { title: 120, text: 30 },
  { title: 80, rows: 20 },
  { title: 60, rows: 8 },
  { title: 40, rows: 4 },
  { title: 24, rows: 2 },
  minDetail,
];
const descriptionLengths = [8000, 5000, 3000, 2000, 1200, 700, 400, 220, 120, 60];

/** Describes everything that a small pack omits, with the budget at which nothing would be omitted. */
const createRestOmission =
  ({ task: { id }, maxTokens }: PackFacts, whole: number) =>
  (count: number): Omission => ({
    section: 'rest',
    count,
    expand: whole > maxTokens ? `cleo show ${id}` : `cleo focus ${id} --budget ${whole}`,
  });

function buildPack(facts: PackFacts, level: DetailLevel, length: number, lists: Section<PackSection>[]): Pack {
  const { task, holder, children } = facts;
  const items = Object.fromEntries(lists.filter((list) => list.items.length > 0).map((list) => [list.name, list.items]));
  const { labels, files, ...others } = items as { [K in PackSection]?: never[] };
  const acceptance = fitCriteria(numberCriteria(task.acceptance, children), level);
  const description = length > 0 && task.description?.trim() ? clipText(task.description, length) : undefined;
  return {
    task: {
      id: task.id,
      type: task.type,
      title: clipText(task.title, level.title),
      status: task.status,
      priority: task.priority,
      ...defined({ ...(level.text === undefined ? {} : { size: task.size, phase: task.phase, holder }), description, labels, files }),
    },
    ...omitEmpty({ acceptance }),
    ...others,
  };
}

/** Lists the parts of the task itself that are shortened. */
function listShortened({ task, holder, children }: PackFacts, level: DetailLevel, length: number): Omission[] {
  const expand = `cleo show ${task.id}`;
  const all = numberCriteria(task.acceptance, children);
  const shown = new Set(fitCriteria(all, level).map((criterion) => JSON.stringify(criterion)));
  const fields = [
    task.title.length > level.title,
    task.description?.trim() && task.description.length > length,
    ...(level.text === undefined ? [task.size, task.phase, holder] : []),
  ];
  return [
    { section: 'task', count: fields.filter(Boolean).length, expand },
    { section: 'acceptance', count: all.filter((criterion) => !shown.has(JSON.stringify(criterion))).length, expand },
  ].filter(({ count }) => count > 0);
}

/** Numbers the criteria as `show` does: the written ones, then one for each child. */
function numberCriteria(stored: StoredCriterion[], children: PackFacts['children']): NumberedCriterion[] {
  const written = stored.map(({ kind, text = '', gate, metAt }) => ({
    ...(kind === 'evidence_bound' && gate ? { gate } : { text }),
    ...(metAt ? { met: true as const } : {}),
  }));
  const fromChildren = children.map(({ id, status }) => ({ target: id, ...(status === 'done' ? { met: true as const } : {}) }));
  return [...written, ...fromChildren].map((criterion, i) => ({ n: i + 1, ...criterion }));
}

/** Fits every criterion: with its text, by its number and state, or grouped with its neighbours. */
function fitCriteria(all: NumberedCriterion[], { text, hasChildren, rows }: DetailLevel): PackCriterion[] {
  if (text === undefined) return groupCriteria(all, rows ?? all.length);
  const each = all.filter(({ target }) => hasChildren || target === undefined);
  const shortened = each.map((criterion) =>
    criterion.text === undefined ? criterion : { ...criterion, text: clipText(criterion.text, text) },
  );
  return [...shortened, ...groupCriteria(all.slice(each.length), 20)];
}

function groupCriteria(all: NumberedCriterion[], maxRows: number): PackCriterion[] {
  const runs: { from: number; to: number; met: number }[] = [];
  for (const { n, met } of all) {
    const last = runs.at(-1);
    const isMet = met === true;
    if (last && (runs.length === maxRows || last.met === (isMet ? last.to - last.from + 1 : 0))) {
      last.to = n;
      last.met += isMet ? 1 : 0;
    } else runs.push({ from: n, to: n, met: isMet ? 1 : 0 });
  }
  return runs.map(({ from, to, met }) => ({
    n: from === to ? from : `${from}-${to}`,
    ...(met === 0 ? {} : { met: met === to - from + 1 ? (true as const) : met }),
  }));
}

/** Builds the lists, with every text cut to `maxLength`. */
function buildSections(facts: PackFacts, maxLength: number): Section<PackSection>[] {
  const { task, moreHistory, ...lists } = facts;
  const { id } = task;
  const show = `cleo show ${id}`;
  const parent = lists.parents[0]?.id;
  const isOwn = lists.research.every((entry) => entry.id.startsWith(`${id}-`));
  const toSection = <T>(name: PackSection, items: readonly T[], expand: string, cut?: (item: T) => T): Section<PackSection> => {
    const shown = cut ? items.map(cut) : items;
    return { name, items: shown, isPart: shown.map((item, i) => JSON.stringify(item) !== JSON.stringify(items[i])), expand };
  };
  return [
    toSection('labels', task.labels, show),
    toSection('blockers', lists.blockers, lists.blockers.some((blocker) => 'reason' in blocker) ? show : `cleo deps ${id}`, (blocker) =>
      'reason' in blocker ? { reason: clipText(blocker.reason, maxLength) } : blocker,
    ),
    toSection('parents', lists.parents, `cleo show ${parent ?? id}`),
    toSection('depends', lists.depends, `cleo deps ${id}`),
    toSection('dependents', lists.dependents, `cleo deps ${id}`),
    toSection('files', task.files, show),
    toSection('docs', lists.docs, `cleo docs list --task ${id}`),
    toSection('research', lists.research, isOwn ? `cleo research list --task ${id}` : 'cleo research list', (entry) => ({
      ...entry,
      ...(entry.findings ? { findings: takeTexts(entry.findings, maxLength) } : {}),
    })),
    toSection('decisions', lists.decisions, `cleo memory find --type decision --task ${id}`),
    toSection('memory', lists.memory, `cleo memory find --task ${id}`),
    toSection('notes', lists.notes, show, (note) => ({ ...note, text: clipText(note.text, maxLength) })),
    { ...toSection('history', lists.history, `cleo history ${id}`), more: moreHistory },
  ];
}

/** Takes texts from the start while their total length is within `maxLength`; the last one may be cut. */
function takeTexts(texts: string[], maxLength: number): string[] {
  const taken: string[] = [];
  let remaining = maxLength;
  for (const text of texts) {
    if (remaining < 20) break;
    taken.push(clipText(text, remaining));
    remaining -= text.length;
  }
  return taken;
}

/** Shortens a history entry: it drops long values, because the pack contains the current value anyway. */
export function summarizeChange({ at, by, field, old, new: now, reason }: HistoryEntry): NonNullable<Pack['history']>[number] {
  const isBrief = (value: unknown): boolean => value !== undefined && (JSON.stringify(value) ?? '').length <= 60;
  const hasValues = !['created', 'description'].includes(field) && [old, now].every((value) => value === undefined || isBrief(value));
  return {
    at,
    by,
    field,
    ...(hasValues ? defined({ old, new: now }) : {}),
    ...(reason === undefined ? {} : { reason: clipText(reason, 200) }),
  };
}
