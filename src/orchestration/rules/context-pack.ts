import type { HistoryEntry } from '#core/model/audit.ts';
import { clip, filled, missingOf, type Omission, type Section } from '#lib/budget.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Pack, PackCriterion, PackSection } from '../model/pack.ts';

type Lists = { [K in Exclude<PackSection, 'labels' | 'files'>]: NonNullable<Pack[K]> };

/** All there is to say of a task, the lists whole or, of a very long history, as far as it was read. */
export interface PackFacts extends Lists {
  task: TaskRecord;
  holder?: string | undefined;
  children: { id: string; status: string }[];
  /** How much history there is beyond what was read. */
  moreHistory: number;
  /** The largest budget that a caller may name. */
  mostTokens: number;
}

export interface PackAnswer {
  pack: Pack;
  omitted: Omission[];
}

type Measure = (answer: PackAnswer) => number;

/** The pack of a task within a budget, measured as a whole. The task's identity and its criteria are always in it, shortened where they
 *  must be; then the description, at most half of what is left; then the lists in order of importance. `least` is the smallest budget
 *  that would do where this one does not. */
export function packWithin(
  facts: PackFacts,
  budget: number,
  tokensOf: Measure,
  cost: (value: unknown) => number,
): PackAnswer | { least: number } {
  const uncut = sectionsOf(facts, Number.POSITIVE_INFINITY);
  const all: PackAnswer = { pack: assemble(facts, richest, Number.POSITIVE_INFINITY, uncut), omitted: [] };
  const whole = tokensOf(all);
  if (whole <= budget && uncut.every((list) => missingOf(list, list.items.length) === 0)) return all;
  const rest = restOf(facts, whole);
  const lists = sectionsOf(facts, Math.max(120, Math.floor(budget / 2)));
  const isAlone = lists.every(({ items }) => items.length === 0);

  const least = tokensOf(headOf(facts, poorest, 0, rest));
  if (least > budget) return { least };
  const share = (used: number, part: number): number => used + (budget - used) * part;
  const head = (level: Level, length: number): number => tokensOf(headOf(facts, level, length, rest));
  const forCriteria = share(least, isAlone && !facts.task.description ? 1 : 2 / 3);
  const level = levels.find((each) => head(each, 0) <= forCriteria) ?? poorest;
  const forDescription = share(head(level, 0), isAlone ? 1 : 1 / 2);
  const length = lengths.find((each) => head(level, each) <= forDescription) ?? 0;
  return surrounded(facts, budget, { level, length, lists, rest, tokensOf, cost });
}

/** The same where the task itself is told whole, whatever it costs, and the budget is for what surrounds it. */
export function packAround(facts: PackFacts, budget: number, tokensOf: Measure, cost: (value: unknown) => number): PackAnswer {
  const length = Number.POSITIVE_INFINITY;
  const rest = restOf(facts, facts.mostTokens + 1);
  const lists = sectionsOf(facts, Math.max(120, budget));
  const task = tokensOf({ pack: assemble(facts, richest, length, []), omitted: [] });
  return surrounded(facts, task + budget, { level: richest, length, lists, rest, tokensOf, cost }) as PackAnswer;
}

interface Choice {
  level: Level;
  length: number;
  lists: Section<PackSection>[];
  rest: (count: number) => Omission;
  tokensOf: Measure;
  cost: (value: unknown) => number;
}

function surrounded(
  facts: PackFacts,
  budget: number,
  { level, length, lists, rest, tokensOf, cost }: Choice,
): PackAnswer | { least: number } {
  const cut = shortened(facts, level, length);
  // What is shortened of the task itself is told like items that are left out.
  const own = cut.map(({ section, count, expand }): Section<string> => ({ name: section, items: [], more: count, expand }));
  const fitted = filled([...own, ...lists], budget, {
    build: (kept, omitted): PackAnswer => ({
      pack: assemble(
        facts,
        level,
        length,
        lists.map((list) => ({ ...list, items: list.items.slice(0, kept[list.name]) })),
      ),
      omitted,
    }),
    tokensOf,
    cost,
    rest,
  });
  return 'answer' in fitted ? fitted.answer : fitted;
}

/** How much of a task's identity and criteria is told. */
interface Level {
  title: number;
  /** Of each criterion's text; without it, criteria are told by number and state. */
  text?: number;
  /** Each child by its id, else those of one state together. */
  hasChildren?: true;
  /** At most so many rows for the criteria. */
  rows?: number;
}

const richest: Level = { title: 200, text: 1000, hasChildren: true };
const poorest: Level = { title: 8, rows: 1 };
const levels: Level[] = [
  richest,
  ...[1000, 500, 300, 180, 110, 70, 45].map((text) => ({ title: 200, text })),
  { title: 120, text: 30 },
  { title: 80, rows: 20 },
  { title: 60, rows: 8 },
  { title: 40, rows: 4 },
  { title: 24, rows: 2 },
  poorest,
];
const lengths = [8000, 5000, 3000, 2000, 1200, 700, 400, 220, 120, 60];

function headOf(facts: PackFacts, level: Level, length: number, rest: (count: number) => Omission): PackAnswer {
  return { pack: assemble(facts, level, length, []), omitted: [rest(99_999)] };
}

/** Everything that a smaller pack leaves out, and the budget at which it leaves out nothing. */
const restOf =
  ({ task: { id }, mostTokens }: PackFacts, whole: number) =>
  (count: number): Omission => ({
    section: 'rest',
    count,
    expand: whole > mostTokens ? `cleo show ${id}` : `cleo focus ${id} --budget ${whole}`,
  });

function assemble(facts: PackFacts, level: Level, length: number, lists: Section<PackSection>[]): Pack {
  const { task, holder, children } = facts;
  const items = Object.fromEntries(lists.filter((list) => list.items.length > 0).map((list) => [list.name, list.items]));
  const { labels, files, ...others } = items as { [K in PackSection]?: never[] };
  const acceptance = criteriaAt(criteriaOf(task.acceptance, children), level);
  const description = length > 0 && task.description?.trim() ? clip(task.description, length) : undefined;
  const isWhole = level.text !== undefined;
  return {
    task: {
      id: task.id,
      type: task.type,
      title: clip(task.title, level.title),
      status: task.status,
      priority: task.priority,
      ...(task.size && isWhole ? { size: task.size } : {}),
      ...(task.phase && isWhole ? { phase: task.phase } : {}),
      ...(holder && isWhole ? { holder } : {}),
      ...(description === undefined ? {} : { description }),
      ...(labels ? { labels } : {}),
      ...(files ? { files } : {}),
    },
    ...(acceptance.length > 0 ? { acceptance } : {}),
    ...others,
  };
}

/** What of the task itself is not told whole. */
function shortened({ task, holder, children }: PackFacts, level: Level, length: number): Omission[] {
  const expand = `cleo show ${task.id}`;
  const all = criteriaOf(task.acceptance, children);
  const told = new Set(criteriaAt(all, level).map((one) => JSON.stringify(one)));
  const fields = [
    task.title.length > level.title,
    Boolean(task.description?.trim()) && (task.description ?? '').length > length,
    level.text === undefined && Boolean(task.size),
    level.text === undefined && Boolean(task.phase),
    level.text === undefined && Boolean(holder),
  ];
  return [
    { section: 'task', count: fields.filter(Boolean).length, expand },
    { section: 'acceptance', count: all.filter((one) => !told.has(JSON.stringify(one))).length, expand },
  ].filter(({ count }) => count > 0);
}

/** Numbered as `show` lists them: those that were written, then the children. */
function criteriaOf(stored: StoredCriterion[], children: PackFacts['children']): (PackCriterion & { n: number })[] {
  const own = stored.map(({ kind, text = '', gate, metAt }) => ({
    ...(kind === 'evidence_bound' && gate ? { gate } : { text }),
    ...(metAt ? { met: true as const } : {}),
  }));
  const below = children.map(({ id, status }) => ({ target: id, ...(status === 'done' ? { met: true as const } : {}) }));
  return [...own, ...below].map((criterion, i) => ({ n: i + 1, ...criterion }));
}

/** Every criterion is in it: with its text, or by its number and whether it is met, or counted with its neighbours. */
function criteriaAt(all: (PackCriterion & { n: number })[], { text, hasChildren, rows }: Level): PackCriterion[] {
  if (text === undefined) return runsOf(all, rows ?? all.length);
  const each = all.filter(({ target }) => hasChildren || target === undefined);
  const own = each.map((one) => (one.text === undefined ? one : { ...one, text: clip(one.text, text) }));
  return [...own, ...runsOf(all.slice(each.length), 20)];
}

function runsOf(all: (PackCriterion & { n: number })[], most: number): PackCriterion[] {
  const runs: { from: number; to: number; met: number }[] = [];
  for (const { n, met } of all) {
    const last = runs.at(-1);
    const isMet = met === true;
    if (last && (runs.length === most || last.met === (isMet ? last.to - last.from + 1 : 0))) {
      last.to = n;
      last.met += isMet ? 1 : 0;
    } else runs.push({ from: n, to: n, met: isMet ? 1 : 0 });
  }
  return runs.map(({ from, to, met }) => ({
    n: from === to ? from : `${from}-${to}`,
    ...(met === 0 ? {} : { met: met === to - from + 1 ? (true as const) : met }),
  }));
}

/** The lists with no text longer than this. */
function sectionsOf(facts: PackFacts, most: number): Section<PackSection>[] {
  const { task, moreHistory, ...lists } = facts;
  const { id } = task;
  const show = `cleo show ${id}`;
  const parent = lists.parents[0]?.id;
  const isOwn = lists.research.every((entry) => entry.id.startsWith(`${id}-`));
  const listed = <T>(name: PackSection, items: readonly T[], expand: string, cut?: (item: T) => T): Section<PackSection> => {
    const shown = cut ? items.map(cut) : items;
    return { name, items: shown, isPart: shown.map((item, i) => JSON.stringify(item) !== JSON.stringify(items[i])), expand };
  };
  return [
    listed('labels', task.labels, show),
    listed('blockers', lists.blockers, lists.blockers.some((one) => 'reason' in one) ? show : `cleo deps ${id}`, (one) =>
      'reason' in one ? { reason: clip(one.reason, most) } : one,
    ),
    listed('parents', lists.parents, `cleo show ${parent ?? id}`),
    listed('depends', lists.depends, `cleo deps ${id}`),
    listed('dependents', lists.dependents, `cleo deps ${id}`),
    listed('files', task.files, show),
    listed('docs', lists.docs, `cleo docs list --task ${id}`),
    listed('research', lists.research, isOwn ? `cleo research list --task ${id}` : 'cleo research list', (entry) => ({
      ...entry,
      ...(entry.findings ? { findings: firstOf(entry.findings, most) } : {}),
    })),
    listed('decisions', lists.decisions, `cleo memory find --type decision --task ${id}`),
    listed('memory', lists.memory, `cleo memory find --task ${id}`),
    listed('notes', lists.notes, show, (note) => ({ ...note, text: clip(note.text, most) })),
    {
      ...listed('history', lists.history, `cleo history ${id}`),
      more: moreHistory,
    },
  ];
}

/** Texts from the first on, as many as there is room for; the last may be cut. */
function firstOf(texts: string[], most: number): string[] {
  const kept: string[] = [];
  let left = most;
  for (const text of texts) {
    if (left < 20) break;
    kept.push(clip(text, left));
    left -= text.length;
  }
  return kept;
}

/** That something changed, and how where that is short: what a long text says now, the pack tells itself. */
export function briefChange({ at, by, field, old, new: now, reason }: HistoryEntry): NonNullable<Pack['history']>[number] {
  const isBrief = (value: unknown): boolean => value !== undefined && (JSON.stringify(value) ?? '').length <= 60;
  const hasValues = !['created', 'description'].includes(field) && [old, now].every((value) => value === undefined || isBrief(value));
  return {
    ...{ at, by, field },
    ...(hasValues && old !== undefined ? { old } : {}),
    ...(hasValues && now !== undefined ? { new: now } : {}),
    ...(reason === undefined ? {} : { reason: clip(reason, 200) }),
  };
}
