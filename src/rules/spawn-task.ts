import type { Acceptance, Note, Task } from '../model/task.ts';
import { withinBudget } from './budget.ts';
import { estimateTokens } from './tokens.ts';

interface Kin {
  id: string;
  title: string;
  status: string;
}

export interface TaskAround {
  task: Task;
  /** What it is part of, the nearest first. */
  parents: Kin[];
  depends: Kin[];
  dependents: Kin[];
  /** What is known already of it and of what it builds on. */
  research: { id: string; title: string; status: string; findings: string[] }[];
}

/** What an agent has to know of its task: the task itself whole, and around it as much as the budget allows, the most important first. */
export function taskText({ task, parents, depends, dependents, research }: TaskAround, budget: number): string {
  const show = `cleo show ${task.id}`;
  const sections = [
    { name: 'Acceptance criteria', items: (task.acceptance ?? []).map(criterion), expand: show },
    { name: 'Part of', items: parents.map(kin), expand: `cleo tree ${parents.at(-1)?.id ?? task.id}` },
    { name: 'Builds on', items: depends.map(kin), expand: `cleo deps ${task.id}` },
    { name: 'Files', items: (task.files ?? []).map((file) => `- ${file}`), expand: show },
    { name: 'Known already', items: research.map(entry), expand: `cleo research list --task ${task.id}` },
    { name: 'Notes, the newest first', items: (task.notes ?? []).toReversed().map(note), expand: show },
    { name: 'Needed by', items: dependents.map(kin), expand: `cleo deps ${task.id}` },
  ];
  const { kept, omitted } = withinBudget(sections, budget, (value) =>
    estimateTokens(typeof value === 'string' ? value : JSON.stringify(value)),
  );
  return [
    `${task.id}: ${task.title}`,
    [task.type, task.status, task.priority, task.size, task.phase && `phase ${task.phase}`].filter(Boolean).join(', '),
    ...(task.labels?.length ? [`Labels: ${task.labels.join(', ')}`] : []),
    ...(task.blockedBy ? [`Blocked by: ${task.blockedBy}`] : []),
    ...(task.description ? ['', task.description] : []),
    ...sections.flatMap(({ name, items }) => (kept[name] ? ['', `${name}:`, ...items.slice(0, kept[name])] : [])),
    ...(omitted.length ? ['', ...omitted.map(({ section, count, expand }) => `Left out of "${section}": ${count}; ${expand}`)] : []),
  ].join('\n');
}

const kin = ({ id, title, status }: Kin): string => `- ${id} (${status}) ${title}`;
const note = ({ at, by, text }: Note): string => `- ${at} ${by}: ${text}`;
const entry = ({ id, title, status, findings }: TaskAround['research'][number]): string =>
  [`- ${id} (${status}) ${title}`, ...findings.map((finding) => `  - ${finding}`)].join('\n');

function criterion(criterion: Acceptance, i: number): string {
  const what =
    criterion.kind === 'text'
      ? criterion.text
      : criterion.kind === 'evidence_bound'
        ? `evidence for ${criterion.gate}`
        : `${criterion.target} is done`;
  return `${i + 1}. [${criterion.met ? 'x' : ' '}] ${what}`;
}
