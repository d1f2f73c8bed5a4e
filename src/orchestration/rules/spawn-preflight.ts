import { commandLine } from '#core/errors/catalog.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import { fallbackSkill } from '#skills/rules/dispatch-skill.ts';
import type { SpawnRole } from '../model/spawn.ts';

const maxSpawnFiles = 3;

/** Facts about a task that decide whether it can be spawned. */
export interface SpawnCandidate {
  task: { id: TaskId; type: TaskType; title: string; status: Status; blockedBy?: string; files: string[] };
  /** The epic that contains the task, or the task itself if it is one. */
  epicId?: TaskId;
  role: SpawnRole;
  openDepends: TaskId[];
  /** Another holder of the task. A claim of the caller is passed on to the spawned agent. */
  holder?: string;
  /** Work on the task has begun: it was started, or it has evidence or an entry in the manifest. */
  isTouched: boolean;
  skill: string;
  /** Tokens and references without a value. */
  unresolved: string[];
}

export interface SpawnFinding {
  code: 'DONE' | 'BLOCKED' | 'UNTOUCHED' | 'DEPENDS_OPEN' | 'CLAIMED' | 'ORC-006' | 'ORC-007' | 'TOKENS_UNRESOLVED';
  message: string;
  fix: string;
}

/** Lists everything that prevents a spawn, most obvious first. A claim and a missing epic do not prevent spawning a validator, because every
 *  task can need a verdict. */
export function checkSpawn({ task, epicId, role, openDepends, holder, isTouched, skill, unresolved }: SpawnCandidate): SpawnFinding[] {
  const { id } = task;
  const statusCommand = commandLine(['cleo', 'orchestrate', 'status', ...(epicId && epicId !== id ? [epicId] : [])]);
  const findings: (SpawnFinding | false)[] = [
    task.status === 'done' && { code: 'DONE', message: `${id} is done`, fix: `cleo show ${id}` },
    task.status === 'blocked' && {
      code: 'BLOCKED',
      message: `${id} is blocked${task.blockedBy ? `: ${task.blockedBy}` : ''}`,
      // No unblock command: an agent must not remove a block that was set for a reason.
      fix: statusCommand,
    },
    role === 'validator' &&
      task.status === 'pending' &&
      !isTouched && {
        code: 'UNTOUCHED',
        message: `${id} has not been worked on, and a validator judges the work of another agent`,
        fix: `cleo orchestrate spawn ${id}`,
      },
    openDepends.length > 0 && { code: 'DEPENDS_OPEN', message: `${id} waits for ${openDepends.join(', ')}`, fix: statusCommand },
    role === 'worker' && holder !== undefined && { code: 'CLAIMED', message: `${id} is held by ${holder}`, fix: statusCommand },
    (role === 'worker' || task.type === 'saga') &&
      epicId === undefined && {
        code: 'ORC-007',
        message: task.type === 'saga' ? `${id} is a saga; spawn the tasks of its epics` : `${id} is not part of an epic`,
        fix: task.type === 'saga' ? `cleo show ${id}` : 'cleo help orchestrate spawn',
      },
    role === 'worker' &&
      task.files.length > maxSpawnFiles && {
        code: 'ORC-006',
        message: `${id} names ${task.files.length} files, and one agent gets at most ${maxSpawnFiles}; move ${task.files.slice(maxSpawnFiles).join(', ')} to other tasks`,
        // The note records the files that are removed from the task.
        fix: commandLine([
          'cleo',
          'update',
          id,
          '--files',
          task.files.slice(0, maxSpawnFiles).join(','),
          '--notes',
          `For other tasks (ORC-006): ${task.files.slice(maxSpawnFiles).join(', ')}`,
        ]),
      },
    unresolved.length > 0 && {
      code: 'TOKENS_UNRESOLVED',
      message: `the text of ${skill} contains unresolved tokens or references: ${unresolved.map(formatReference).join(', ')}`,
      fix: skill === fallbackSkill ? 'cleo skill validate' : `cleo orchestrate spawn ${id} --skill ${fallbackSkill}`,
    },
  ];
  return findings.filter((finding) => finding !== false);
}

const formatReference = (name: string): string => (name.startsWith('@') ? name : `{{${name}}}`);
