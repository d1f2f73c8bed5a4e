import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { uidPattern } from '#core/rules/uid.ts';
import { redactText } from '#lib/redact.ts';
import type { Task } from '#tasks/model/task.ts';
import type { ImportTool } from '../detect-tool.ts';

/** The part of a task that its ids in other tools depend on. */
export type ExportedIdentity = Pick<Task, 'id' | 'uid' | 'title' | 'createdAt' | 'parentId' | 'depends' | 'aliases'>;

/** The ids of tasks in another tool. Those in `foreign` were given by the tool, the others are made by the export. */
export interface ExportIds {
  ids: Map<TaskId, string>;
  foreign: Set<TaskId>;
}

/** Everything that an exporter has to know about other tasks than the one it writes. */
export interface ExportContext {
  /** Returns the id of a task in the other tool. Undefined if the task is not exported. */
  getId(id: TaskId): string | undefined;
  /** Checks whether the id was given by the other tool, so that the record needs no mark to be recognized. */
  isForeign(id: TaskId): boolean;
  hasChildren(id: TaskId): boolean;
  getTitle(id: TaskId): string;
  reportLoss(task: Pick<Task, 'id'>, field: string): void;
}

/** Fields that a record of the tool cannot contain. */
export interface ExportLoss {
  field: string;
  count: number;
  examples: TaskId[];
}

const maxExamples = 3;

/** Counts losses by field. */
export function createLossCounter(): { report: ExportContext['reportLoss']; list(): ExportLoss[] } {
  const byField = new Map<string, Set<TaskId>>();
  return {
    report: ({ id }, field) => void byField.set(field, (byField.get(field) ?? new Set()).add(id)),
    list: () => [...byField].map(([field, ids]) => ({ field, count: ids.size, examples: [...ids].slice(0, maxExamples) })),
  };
}

/** Finds the ids that tasks got from the tool. The plain name of the tool comes before named sources, such as `beads:web`; an id that two
 *  sources share belongs to the first task. */
export function findForeignIds(
  tool: ImportTool,
  tasks: readonly ExportedIdentity[],
  isUsable: (id: string, task: ExportedIdentity) => boolean = () => true,
): Map<TaskId, string> {
  const ids = new Map<TaskId, string>();
  const used = new Set<string>();
  for (const isNamed of [false, true])
    for (const task of tasks) {
      if (ids.has(task.id)) continue;
      const alias = task.aliases?.find(
        (one) => (isNamed ? one.tool.startsWith(`${tool}:`) : one.tool === tool) && !used.has(one.id) && isUsable(one.id, task),
      );
      if (!alias) continue;
      used.add(alias.id);
      ids.set(task.id, alias.id);
    }
  return ids;
}

/** Gives each task without a number in the tool the number it has here, or the next one that is free. */
export function addNumbers(tasks: readonly { id: TaskId }[], numbers: Map<TaskId, number>): void {
  const used = new Set(numbers.values());
  for (const { id } of tasks) {
    if (numbers.has(id)) continue;
    let number = toTaskNumber(id);
    while (used.has(number)) number += 1;
    used.add(number);
    numbers.set(id, number);
  }
}

/** Parses a uid from an id or a mark of an export. */
export const parseUid = (text: string | undefined): string | undefined => (text !== undefined && uidPattern.test(text) ? text : undefined);

/** Replaces secrets in the texts of a task, because an export often leaves the machine. */
export function redactTask(task: Task, reportLoss: ExportContext['reportLoss']): Task {
  const redact = (field: string, text: string): string => {
    const clean = redactText(text);
    if (clean !== text) reportLoss(task, `${field} (secret)`);
    return clean;
  };
  return {
    ...task,
    title: redact('title', task.title),
    ...(task.description === undefined ? {} : { description: redact('description', task.description) }),
    ...(task.blockedBy === undefined ? {} : { blockedBy: redact('blockedBy', task.blockedBy) }),
    ...(task.notes ? { notes: task.notes.map((note) => ({ ...note, text: redact('notes', note.text) })) } : {}),
    ...(task.acceptance
      ? {
          acceptance: task.acceptance.map((criterion) =>
            criterion.kind === 'text' ? { ...criterion, text: redact('acceptance', criterion.text) } : criterion,
          ),
        }
      : {}),
  };
}

/** Lists the criteria that other tools have: texts, and evidence as a text. Children are children there too. */
export function listCriteria(task: Pick<Task, 'acceptance'>): { text: string; met: boolean }[] {
  return (task.acceptance ?? []).flatMap((criterion) => {
    if (criterion.kind === 'child_task') return [];
    const text = criterion.kind === 'text' ? flattenText(criterion.text) : `Evidence for ${criterion.gate}`;
    return [{ text, met: criterion.met === true }];
  });
}

export const formatCheckbox = ({ text, met }: { text: string; met: boolean }): string => `- [${met ? 'x' : ' '}] ${text}`;

/** Replaces line breaks and other control characters, which a field of one line cannot contain. */
export const flattenText = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
