import { array, description, type InferOutput, literal, looseObject, optional, picklist, pipe, regex, strictObject, string } from 'valibot';
import { Status, type TaskId } from '#core/model/scalars.ts';
import { TaskReceipt, Timestamp } from '#tasks/model/task.ts';

export const projectName = /^[a-z0-9][a-z0-9._-]{0,49}$/;
export const ProjectName = pipe(
  string(),
  regex(projectName, 'may hold a-z 0-9 . _ -, begins with a letter or a digit, and has at most 50 characters'),
);

/** What a project allows the others, each with what stands before it. */
export const Permission = picklist(['none', 'read', 'write', 'execute']);

/** One line for each, for people and agents who choose. */
export const permissionText: Record<Permission, string> = {
  none: 'closed: not queried, not shown in deps or graph, not read by sync',
  read: 'its tasks are read by query, deps, graph and sync',
  write: 'nexus sync --all, run elsewhere, may also set its waiting tasks to blocked or pending',
  execute: 'kept for what will run commands there; today the same as write',
};

export const RegisteredProject = looseObject({
  name: pipe(ProjectName, description('What queries call it')),
  path: pipe(string(), description('The folder that holds .cleo, as an absolute path')),
  key: pipe(string(), description('project.key of its configuration, by which it is known again when it has moved')),
  permission: Permission,
  registeredAt: Timestamp,
});

/** The projects of one user: `nexus.json` in the user's folder. Fields that are not ours are kept. */
export const Registry = looseObject({
  format: pipe(literal('cleo-nexus'), description('Tells the file from others')),
  version: literal(1),
  projects: array(RegisteredProject),
});

export type Permission = InferOutput<typeof Permission>;
export type RegisteredProject = InferOutput<typeof RegisteredProject>;
export type Registry = InferOutput<typeof Registry>;

/** What stands in its file; `problem` where that is no text which could be written back. */
export type RegistryText = { text: string } | { problem: string };

export const ProjectView = strictObject({
  name: string(),
  path: string(),
  permission: Permission,
  /** `gone`: nothing is there any more. `replaced`: another project is. `closed`: nobody looked. */
  state: optional(picklist(['ok', 'gone', 'replaced', 'closed'])),
  here: optional(literal(true)),
});
export type ProjectView = InferOutput<typeof ProjectView>;

/** A task of a registered project. */
export const FarTask = strictObject({ project: string(), ...TaskReceipt.entries });
export type FarTask = InferOutput<typeof FarTask>;

/** One end of a dependency between projects; without a title where nobody may look, or nothing is there. */
export const FarEnd = strictObject({
  project: string(),
  id: string(),
  title: optional(string()),
  status: optional(Status),
  /** When it was seen last, where it could not be read now. */
  seenAt: optional(Timestamp),
  note: optional(string()),
});
export type FarEnd = InferOutput<typeof FarEnd>;

/** A project that gave no answer, and why. */
export const Unanswered = strictObject({ project: string(), problem: string() });
export type Unanswered = InferOutput<typeof Unanswered>;

export interface FarId {
  project: string;
  id: TaskId;
}

/** A dependency on a task of another project, as the depending project keeps it. */
export interface FarDepend {
  taskId: TaskId;
  project: string;
  farId: TaskId;
  /** As they were when that project was read last; a status, or `missing`. */
  farTitle: string;
  farStatus: string;
  syncedAt: string;
}

export const farName = ({ project, id }: FarId): string => `${project}:${id}`;
