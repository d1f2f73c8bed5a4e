import type { TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { pluralize } from '#lib/noun.ts';
import { formatPercent } from '#lib/statistics.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { BlockReason, Waves } from './waves.ts';

export interface PlanFacts {
  /** The saga, epic or task to plan; without it, all open work. */
  root?: TaskRecord;
  /** Counts of tasks and subtasks, without sagas and epics. */
  progress: { done: number; total: number };
  waves: Waves;
  /** Records of the tasks in the waves; a missing task has none. */
  tasks: Map<TaskId, TaskRecord>;
  /** Done tasks, ordered by id. */
  done: { id: TaskId; title: string }[];
  relations: { from: TaskId; to: TaskId; type: string; reason: string }[];
}

/** Formats a compact plan that has what an agent needs to take the next task. */
export function formatAgentPlan(facts: PlanFacts): string {
  const { root, waves, tasks } = facts;
  const formatLine = (id: TaskId): string[] => {
    const task = tasks.get(id);
    if (!task) return [`- [ ] ${id}`];
    const about = [task.priority, task.size, task.status === 'pending' ? '' : task.status].filter(Boolean).join(', ');
    const needs = task.depends.filter((on) => tasks.has(on));
    return [
      `- [ ] ${id} ${task.title} (${about})${needs.length ? ` after ${needs.join(', ')}` : ''}`,
      ...task.acceptance.map((criterion) => `  - ${formatCriterion(criterion)}`),
      ...(task.files.length ? [`  - files: ${task.files.join(', ')}`] : []),
    ];
  };
  return joinSections([
    [`# Plan${root ? ` ${root.id}: ${root.title}` : ''}`, formatProgress(facts)],
    ...waves.waves.map((wave, i) => [`## Wave ${i + 1}`, ...wave.flatMap(formatLine)]),
    waves.blocked.length
      ? ['## Blocked', ...waves.blocked.map(({ id, reasons }) => `- ${id} ${getTitle(id, facts)}: ${formatReasons(reasons)}`)]
      : [],
    waves.criticalPath.length > 1 ? ['## Critical path', waves.criticalPath.join(' → ')] : [],
    waves.waves.length ? ['## Start', `\`cleo next${root ? ` --epic ${root.id}` : ''}\`, then \`cleo focus set <id>\``] : [],
  ]);
}

/** Formats a plan in sentences for people: purpose, order, dependencies and blockers. */
export function formatMaintainerPlan(facts: PlanFacts): string {
  const { root, waves, done } = facts;
  const formatTask = createTaskFormatter(facts);
  return joinSections([
    [`# ${root ? `Plan for ${root.id}: ${root.title}` : 'Plan for all open work'}`],
    quoteBlock(root?.description),
    [formatOverview(facts)],
    root?.acceptance.length ? ['## Acceptance criteria', ...root.acceptance.map((criterion) => `- ${formatCriterion(criterion)}`)] : [],
    ...waves.waves.flatMap((wave, i) => [
      [`## Wave ${i + 1}${i === 0 ? ': can start now' : ''}`],
      ...(i === 1 ? [['Each task of a wave waits only for the waves before it; the tasks of one wave can be done in parallel.']] : []),
      ...wave.flatMap(formatTask),
    ]),
    ...(waves.blocked.length
      ? [['## Blocked'], waves.blocked.map(({ id, reasons }) => `- ${id}, ${getTitle(id, facts)}: ${formatReasons(reasons)}.`)]
      : []),
    waves.externalBlockers.length
      ? [
          '## External blockers',
          ...waves.externalBlockers.map(({ id, blocks }) => `- ${id} ${getTitle(id, facts)}, for ${blocks.join(', ')}`),
        ]
      : [],
    done.length ? ['## Done', ...done.map(({ id, title }) => `- [x] ${id} ${title}`)] : [],
  ]);
}

function formatOverview(facts: PlanFacts): string {
  const { waves, progress } = facts;
  const planned = waves.waves.flat().length;
  const parts = [
    formatProgress(facts),
    planned > 0
      ? `The ${pluralize(planned, 'task')} that can be planned ${planned === 1 ? 'takes' : 'take'} ${pluralize(waves.waves.length, 'wave')}.`
      : progress.done === progress.total
        ? 'Nothing is left to do.'
        : 'Nothing can start.',
    waves.criticalPath.length > 1 ? `The longest chain is ${waves.criticalPath.join(', then ')}.` : '',
    waves.blocked.length > 0 ? `${waves.blocked.length} ${waves.blocked.length === 1 ? 'is' : 'are'} blocked.` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

const formatProgress = ({ progress: { done, total } }: PlanFacts): string =>
  `${done} of ${total} done${total > 0 ? ` (${formatPercent(done / total)})` : ''}.`;

/** Returns a function that formats one task with its dependencies, criteria, files and relations. */
function createTaskFormatter({ tasks, relations, root }: PlanFacts): (id: TaskId) => string[][] {
  const dependents = new Map<TaskId, TaskId[]>();
  for (const { id, depends } of tasks.values()) for (const on of depends) addToList(dependents, on, id);
  const relationsByTask = new Map<TaskId, PlanFacts['relations']>();
  for (const relation of relations) for (const id of [relation.from, relation.to]) addToList(relationsByTask, id, relation);
  return (id) => {
    const task = tasks.get(id);
    if (!task) return [[`### ${id}`]];
    const waiting = dependents.get(id) ?? [];
    const needs = task.depends.filter((on) => tasks.has(on));
    const kind = `A ${task.size ? `${task.size} ` : ''}${task.type} of ${task.priority} priority`;
    const place = task.parentId && task.parentId !== root?.id ? ` in ${task.parentId}` : '';
    const state = task.status === 'active' ? ' It is being worked on.' : '';
    const after = needs.length ? ` It comes after ${needs.join(', ')}.` : '';
    const before = waiting.length ? ` ${waiting.join(', ')} ${waiting.length === 1 ? 'waits' : 'wait'} for it.` : '';
    return [
      [`### ${id} ${task.title}`],
      [`${kind}${place}.${state}${after}${before}`],
      quoteBlock(task.description),
      task.acceptance.map((criterion) => `- ${formatCriterion(criterion)}`),
      task.files.length ? [`Files: ${task.files.map((path) => `\`${path}\``).join(', ')}`] : [],
      (relationsByTask.get(id) ?? []).map(({ from, to, type, reason }) => `- ${from} ${type} ${to}: ${reason.replace(/\s+/g, ' ')}`),
    ];
  };
}

const formatCriterion = ({ text, gate, metAt }: StoredCriterion): string =>
  `[${metAt ? 'x' : ' '}] ${(text ?? `evidence for ${gate}`).replace(/\s+/g, ' ')}`;
const getTitle = (id: TaskId, { tasks }: PlanFacts): string => tasks.get(id)?.title ?? '';

const formatReasons = (reasons: BlockReason[]): string => reasons.map(formatReason).join('; ');

function formatReason(reason: BlockReason): string {
  const through = reason.via ? ` (through ${reason.via})` : '';
  if (reason.kind === 'stated') return `${reason.text ?? 'blocked without a reason'}${through}`;
  if (reason.kind === 'external') return `waits for ${reason.on}, which is outside the plan${through}`;
  if (reason.kind === 'unfinished') return `${reason.on} has no open tasks left and has to be completed${through}`;
  return `waits for ${reason.on}, which is blocked${through}`;
}

/** Quotes a description, so that none of its lines becomes a heading of the plan. */
const quoteBlock = (text: string | undefined): string[] => (text ? text.split(/\r?\n/).map((line) => `> ${line}`.trimEnd()) : []);

const joinSections = (sections: string[][]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => (lines[0]?.startsWith('#') && lines.length > 1 ? [lines[0], '', ...lines.slice(1)] : lines).join('\n'))
    .join('\n\n')}\n`;
