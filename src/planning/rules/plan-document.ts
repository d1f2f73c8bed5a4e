import type { TaskId } from '#core/model/scalars.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Reason, Waves } from './waves.ts';

export interface PlanFacts {
  /** What the plan is for; without it, everything that is open. */
  root?: TaskRecord;
  /** Open and done work: tasks and subtasks, not what only contains them. */
  progress: { done: number; total: number };
  waves: Waves;
  /** Everything that the waves name, as far as it exists. */
  tasks: Map<TaskId, TaskRecord>;
  /** Tasks that are done, in the order of their ids. */
  done: { id: TaskId; title: string }[];
  relations: { from: TaskId; to: TaskId; type: string; reason: string }[];
}

/** Compact: what an agent needs to take the next piece, and no sentence more. */
export function agentPlan(facts: PlanFacts): string {
  const { root, waves, tasks } = facts;
  const line = (id: TaskId): string[] => {
    const task = tasks.get(id);
    if (!task) return [`- [ ] ${id}`];
    const about = [task.priority, task.size, task.status === 'pending' ? '' : task.status].filter(Boolean).join(', ');
    const needs = task.depends.filter((on) => tasks.has(on));
    return [
      `- [ ] ${id} ${task.title} (${about})${needs.length ? ` after ${needs.join(', ')}` : ''}`,
      ...task.acceptance.map((criterion) => `  - ${box(criterion)} ${wordsOf(criterion)}`),
      ...(task.files.length ? [`  - files: ${task.files.join(', ')}`] : []),
    ];
  };
  return document([
    [`# Plan${root ? ` ${root.id}: ${root.title}` : ''}`, progressLine(facts)],
    ...waves.waves.map((wave, i) => [`## Wave ${i + 1}`, ...wave.flatMap(line)]),
    waves.blocked.length
      ? ['## Blocked', ...waves.blocked.map(({ id, reasons }) => `- ${id} ${titleOf(id, facts)}: ${reasons.map(why).join('; ')}`)]
      : [],
    waves.criticalPath.length > 1 ? ['## Critical path', waves.criticalPath.join(' → ')] : [],
    waves.waves.length ? ['## Begin', `\`cleo next${root ? ` --epic ${root.id}` : ''}\`, then \`cleo focus set <id>\``] : [],
  ]);
}

/** In sentences: what the work is for, in which order it will be done and why, and what stands in its way. */
export function maintainerPlan(facts: PlanFacts): string {
  const { root, waves, done } = facts;
  const portrait = portraits(facts);
  return document([
    [`# ${root ? `Plan for ${root.id}: ${root.title}` : 'Plan for everything that is open'}`],
    quoted(root?.description),
    [overview(facts)],
    root?.acceptance.length ? ['## When it is done', ...root.acceptance.map((c) => `- ${box(c)} ${wordsOf(c)}`)] : [],
    ...waves.waves.flatMap((wave, i) => [
      [`## Wave ${i + 1}${i === 0 ? ': what can begin now' : ''}`],
      ...(i === 1 ? [['Each task of a wave waits only for the waves before it; the tasks of one wave can be done side by side.']] : []),
      ...wave.flatMap(portrait),
    ]),
    ...(waves.blocked.length
      ? [
          ['## What stands in the way'],
          waves.blocked.map(({ id, reasons }) => `- ${id}, ${titleOf(id, facts)}: ${reasons.map(why).join('; ')}.`),
        ]
      : []),
    waves.externalBlockers.length
      ? [
          '## Waited for from outside',
          ...waves.externalBlockers.map(({ id, blocks }) => `- ${id} ${titleOf(id, facts)}, for ${blocks.join(', ')}`),
        ]
      : [],
    done.length ? ['## Done', ...done.map(({ id, title }) => `- [x] ${id} ${title}`)] : [],
  ]);
}

function overview(facts: PlanFacts): string {
  const { waves, progress } = facts;
  const planned = waves.waves.reduce((sum, wave) => sum + wave.length, 0);
  const parts = [
    progressLine(facts),
    planned > 0
      ? `The ${planned} ${planned === 1 ? 'task' : 'tasks'} that can be planned ${planned === 1 ? 'takes' : 'take'} ${waves.waves.length} ${waves.waves.length === 1 ? 'wave' : 'waves'}.`
      : progress.done === progress.total
        ? 'Nothing is left to do.'
        : 'Nothing can begin as things stand.',
    waves.criticalPath.length > 1 ? `The longest chain is ${waves.criticalPath.join(', then ')}.` : '',
    waves.blocked.length > 0 ? `${waves.blocked.length} ${waves.blocked.length === 1 ? 'is' : 'are'} blocked.` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

const progressLine = ({ progress: { done, total } }: PlanFacts): string =>
  `${done} of ${total} done${total > 0 ? ` (${Math.floor((done * 100) / total)} %)` : ''}.`;

/** One task, with all that somebody needs to judge its place in the plan. */
function portraits({ tasks, relations, root }: PlanFacts): (id: TaskId) => string[][] {
  const waitedForBy = grouped([...tasks.values()].flatMap(({ id, depends }) => depends.map((on): [TaskId, TaskId] => [on, id])));
  const tiesOf = grouped(relations.flatMap((tie) => [tie.from, tie.to].map((id): [TaskId, typeof tie] => [id, tie])));
  return (id) => {
    const task = tasks.get(id);
    if (!task) return [[`### ${id}`]];
    const waiting = waitedForBy.get(id) ?? [];
    const needs = task.depends.filter((on) => tasks.has(on));
    const kind = `${task.size ? `A ${task.size} ${task.type}` : `A ${task.type}`} of ${task.priority} priority`;
    const place = task.parentId && task.parentId !== root?.id ? ` in ${task.parentId}` : '';
    const state = task.status === 'active' ? ' It is being worked on.' : '';
    const after = needs.length ? ` It comes after ${needs.join(', ')}.` : '';
    const before = waiting.length ? ` ${waiting.join(', ')} ${waiting.length === 1 ? 'waits' : 'wait'} for it.` : '';
    return [
      [`### ${id} ${task.title}`],
      [`${kind}${place}.${state}${after}${before}`],
      quoted(task.description),
      task.acceptance.map((criterion) => `- ${box(criterion)} ${wordsOf(criterion)}`),
      task.files.length ? [`Files: ${task.files.map((path) => `\`${path}\``).join(', ')}`] : [],
      (tiesOf.get(id) ?? []).map(({ from, to, type, reason }) => `- ${from} ${type} ${to}: ${reason.replace(/\s+/g, ' ')}`),
    ];
  };
}

function grouped<T>(pairs: [TaskId, T][]): Map<TaskId, T[]> {
  const groups = new Map<TaskId, T[]>();
  for (const [id, item] of pairs) groups.set(id, [...(groups.get(id) ?? []), item]);
  return groups;
}

const box = ({ metAt }: StoredCriterion): string => (metAt ? '[x]' : '[ ]');
const wordsOf = ({ text, gate }: StoredCriterion): string => (text ?? `evidence for ${gate}`).replace(/\s+/g, ' ');
const titleOf = (id: TaskId, { tasks }: PlanFacts): string => tasks.get(id)?.title ?? '';

function why(reason: Reason): string {
  const through = reason.via ? ` (through ${reason.via})` : '';
  if (reason.kind === 'stated') return `${reason.text ?? 'blocked, and nobody wrote why'}${through}`;
  if (reason.kind === 'external') return `waits for ${reason.on}, which is outside${through}`;
  if (reason.kind === 'unfinished') return `${reason.on} has nothing left inside and has to be completed${through}`;
  return `waits for ${reason.on}, which is blocked itself${through}`;
}

/** What others wrote stays theirs: no line of it can become a heading of the plan. */
const quoted = (text: string | undefined): string[] => (text ? text.split(/\r?\n/).map((line) => `> ${line}`.trimEnd()) : []);

const document = (sections: string[][]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => (lines[0]?.startsWith('#') && lines.length > 1 ? [lines[0], '', ...lines.slice(1)] : lines).join('\n'))
    .join('\n\n')}\n`;
