import { commandLine } from '#core/errors/quote.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import { fallbackSkill } from '#skills/rules/skill-dispatch.ts';
import type { SpawnRole } from '../model/spawn.ts';

export const mostFiles = 3;

/** What has to be known of a task before it is handed out. */
export interface Candidate {
  task: { id: TaskId; type: TaskType; title: string; status: Status; blockedBy?: string; files: string[] };
  /** The epic that it is, or is part of. */
  epicId?: TaskId;
  role: SpawnRole;
  openDepends: TaskId[];
  /** Who else holds it. What the caller holds passes to the agent that is spawned. */
  holder?: string;
  skill: string;
  /** Tokens and references that nothing was found for. */
  unresolved: string[];
}

export interface Finding {
  code: 'DONE' | 'BLOCKED' | 'DEPENDS_OPEN' | 'CLAIMED' | 'ORC-006' | 'ORC-007' | 'TOKENS_UNRESOLVED';
  message: string;
  fix: string;
}

/** Everything that keeps a task from being handed out, the plainest first. A validator judges what somebody holds. */
export function spawnFindings({ task, epicId, role, openDepends, holder, skill, unresolved }: Candidate): Finding[] {
  const { id } = task;
  const others = commandLine(['cleo', 'orchestrate', 'ready', ...(epicId && epicId !== id ? [epicId] : [])]);
  const found: (Finding | false)[] = [
    task.status === 'done' && { code: 'DONE', message: `${id} is done`, fix: others },
    task.status === 'blocked' && {
      code: 'BLOCKED',
      message: `${id} is blocked${task.blockedBy ? `: ${task.blockedBy}` : ''}`,
      // Whoever blocked it had a reason that no agent clears away on the way.
      fix: others,
    },
    openDepends.length > 0 && { code: 'DEPENDS_OPEN', message: `${id} waits for ${openDepends.join(', ')}`, fix: others },
    role === 'worker' && holder !== undefined && { code: 'CLAIMED', message: `${id} is held by ${holder}`, fix: others },
    epicId === undefined && {
      code: 'ORC-007',
      message: task.type === 'saga' ? `${id} is a saga: its epics are handed out, task by task` : `${id} is part of no epic`,
      fix: task.type === 'saga' ? `cleo orchestrate ready ${id}` : 'cleo list --type epic',
    },
    role === 'worker' &&
      task.files.length > mostFiles && {
        code: 'ORC-006',
        message: `${id} names ${task.files.length} files; one agent gets ${mostFiles} at most: make tasks of ${task.files.slice(mostFiles).join(', ')}`,
        // What is taken off the task stays on record.
        fix: commandLine([
          'cleo',
          'update',
          id,
          '--files',
          task.files.slice(0, mostFiles).join(','),
          '--notes',
          `For other tasks (ORC-006): ${task.files.slice(mostFiles).join(', ')}`,
        ]),
      },
    unresolved.length > 0 && {
      code: 'TOKENS_UNRESOLVED',
      message: `nothing stands for ${unresolved.map(shown).join(', ')} in the texts that ${skill} is made of`,
      fix: skill === fallbackSkill ? 'cleo skill validate' : `cleo orchestrate spawn ${id} --skill ${fallbackSkill}`,
    },
  ];
  return found.filter((finding) => finding !== false);
}

const shown = (name: string): string => (name.startsWith('@') ? name : `{{${name}}}`);

/** Files that several tasks of one wave touch, and whom they hold back: of those that meet in a file the first goes on. */
export function fileConflicts(tasks: { id: TaskId; files: string[] }[]): {
  conflicts: { file: string; tasks: TaskId[] }[];
  held: Set<TaskId>;
} {
  const takenBy = new Map<string, TaskId[]>();
  const held = new Set<TaskId>();
  for (const { id, files } of tasks) {
    const paths = [...new Set(files.map(plain))];
    if (paths.some((path) => takenBy.get(path)?.some((other) => !held.has(other)))) held.add(id);
    for (const path of paths) takenBy.set(path, [...(takenBy.get(path) ?? []), id]);
  }
  const conflicts = [...takenBy].filter(([, ids]) => ids.length > 1).map(([file, ids]) => ({ file, tasks: ids }));
  return { conflicts: conflicts.sort((a, b) => (a.file < b.file ? -1 : 1)), held };
}

/** `./a//b` is `a/b`. */
const plain = (path: string): string =>
  path
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^(?:\.\/)+/, '');
