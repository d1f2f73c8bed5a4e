import { array, description, type InferOutput, literal, looseObject, optional, picklist, pipe, regex, strictObject, string } from 'valibot';
import { StatusSchema, type TaskId } from '#core/model/scalars.ts';
import { TaskReceiptSchema, Timestamp } from '#tasks/model/task.ts';

export const projectNamePattern = /^[a-z0-9][a-z0-9._-]{0,49}$/;
export const ProjectName = pipe(
  string(),
  regex(projectNamePattern, 'may contain a-z 0-9 . _ -, must start with a letter or a digit, and have at most 50 characters'),
);

/** Permission that a project grants to others; each includes those before it. */
export const PermissionSchema = picklist(['none', 'read', 'write', 'execute']);

export const permissionMeanings: Record<Permission, string> = {
  none: 'closed: excluded from query, deps, graph and sync',
  read: 'query, deps, graph and sync may read its tasks',
  write: 'nexus sync --all in another project may also set its waiting tasks to blocked or pending',
  execute: 'reserved for running commands; currently the same as write',
};

const RegisteredProjectSchema = looseObject({
  name: pipe(ProjectName, description('Name of the project in queries')),
  path: pipe(string(), description('Absolute path of the folder that contains .cleo')),
  key: pipe(string(), description('project.key of its configuration, which identifies the project after a move')),
  permission: PermissionSchema,
  registeredAt: Timestamp,
});

/** Content of `nexus.json`, the registered projects of one user. Unknown fields are preserved. */
export const ProjectRegistrySchema = looseObject({
  format: pipe(literal('cleo-nexus'), description('Identifies the file format')),
  version: literal(1),
  projects: array(RegisteredProjectSchema),
});

export type Permission = InferOutput<typeof PermissionSchema>;
export type RegisteredProject = InferOutput<typeof RegisteredProjectSchema>;
export type ProjectRegistry = InferOutput<typeof ProjectRegistrySchema>;

/** Text of the registry file, or the problem if it is not text that can be written back unchanged. */
export type RegistryText = { text: string } | { problem: string };

export const ProjectViewSchema = strictObject({
  name: string(),
  path: string(),
  permission: PermissionSchema,
  /** `gone`: the folder is missing. `replaced`: it contains another project. `closed`: not checked, for lack of permission. */
  state: optional(picklist(['ok', 'gone', 'replaced', 'closed'])),
  here: optional(literal(true)),
});
export type ProjectView = InferOutput<typeof ProjectViewSchema>;

/** A task of a registered project. */
export const RemoteTaskSchema = strictObject({ project: string(), ...TaskReceiptSchema.entries });
export type RemoteTask = InferOutput<typeof RemoteTaskSchema>;

/** One end of a dependency between projects. Title and status are absent if the project is closed or the task is missing. */
export const RemoteTaskRefSchema = strictObject({
  project: string(),
  id: string(),
  title: optional(string()),
  status: optional(StatusSchema),
  /** Time of the last sync, if the task could not be read now. */
  seenAt: optional(Timestamp),
  note: optional(string()),
});
export type RemoteTaskRef = InferOutput<typeof RemoteTaskRefSchema>;

/** A project that could not be queried. */
export const UnansweredSchema = strictObject({ project: string(), problem: string() });
export type Unanswered = InferOutput<typeof UnansweredSchema>;

export interface RemoteTaskId {
  project: string;
  id: TaskId;
}

/** A dependency on a task of another project, as the depending project stores it. */
export interface RemoteDependency {
  taskId: TaskId;
  project: string;
  remoteId: TaskId;
  /** Title and status at the last sync; the status may be `missing`. */
  remoteTitle: string;
  remoteStatus: string;
  syncedAt: string;
}

export const formatRemoteId = ({ project, id }: RemoteTaskId): string => `${project}:${id}`;
