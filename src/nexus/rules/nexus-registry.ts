import { safeParse } from 'valibot';
import { isPlainObject } from '#lib/collections.ts';
import { checkJson } from '#lib/parse-json.ts';
import { slugify } from '#lib/slug.ts';
import { type Permission, PermissionSchema, type ProjectRegistry, ProjectRegistrySchema, type RegisteredProject } from '../model/nexus.ts';

export const formatEmptyRegistry = (): string => formatRegistry({ format: 'cleo-nexus', version: 1, projects: [] });
export const formatRegistry = (registry: ProjectRegistry): string => `${JSON.stringify(registry, null, 2)}\n`;

/** Parses a registry. Nothing is repaired: dropping an invalid part here would delete it on the next write. */
export function parseRegistry(text: string): { registry: ProjectRegistry } | { problem: string; isNewer?: true } {
  const parsed = checkJson(text);
  if ('problem' in parsed) return { problem: text.trim() === '' ? 'is empty' : `is not valid JSON (${parsed.problem})` };
  const { value } = parsed;
  const { format, version }: Record<string, unknown> = isPlainObject(value) ? value : {};
  if (format !== 'cleo-nexus') return { problem: 'is not a project registry' };
  if (typeof version === 'number' && version > 1) return { problem: `has version ${version}; this cleo supports version 1`, isNewer: true };
  const result = safeParse(ProjectRegistrySchema, value);
  if (!result.success) {
    const [issue] = result.issues;
    return { problem: `${issue.path?.map((step) => String(step.key)).join('.') ?? 'the registry'}: ${issue.message}` };
  }
  // The value itself instead of the parser's copy, so that unknown fields keep their position.
  const registry = value as ProjectRegistry;
  const problem = checkProjects(registry.projects);
  return problem === undefined ? { registry } : { problem };
}

function checkProjects(projects: RegisteredProject[]): string | undefined {
  const duplicate = projects.find(({ name }, i) => projects.findIndex((other) => other.name === name) !== i);
  if (duplicate) return `has ${duplicate.name} twice`;
  const relative = projects.find(({ path }) => !/^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path) || path.includes('\0'));
  return relative && `the path of ${relative.name} is not absolute`;
}

interface RegistrationRequest {
  name?: string | undefined;
  permission?: Permission | undefined;
  path: string;
  /** Empty if the configuration has none. */
  key: string;
  at: string;
}

export type RegistrationResult =
  | { kind: 'new' | 'moved'; registry: ProjectRegistry; project: RegisteredProject; from?: string }
  | { kind: 'exists'; project: RegisteredProject }
  | { kind: 'refused'; project: RegisteredProject; why: 'name taken' | 'other name' | 'other permission' | 'copy' };

/** Registers a project. It is identified by its folder, or by its key after a move; the entry then gets the new path. A project has one
 *  name. A folder with the key of a project that still exists elsewhere is a copy and needs a key of its own. */
export function registerProject(
  registry: ProjectRegistry,
  request: RegistrationRequest,
  isInPlace: (project: RegisteredProject) => boolean,
): RegistrationResult {
  const { projects } = registry;
  const { path, key, permission } = request;
  const known = projects.find((each) => each.path === path) ?? (key ? projects.find((each) => each.key === key) : undefined);
  if (known) {
    const isMoved = known.path !== path;
    if (isMoved && isInPlace(known)) return { kind: 'refused', project: known, why: 'copy' };
    if (request.name !== undefined && request.name !== known.name) return { kind: 'refused', project: known, why: 'other name' };
    if (permission !== undefined && permission !== known.permission) return { kind: 'refused', project: known, why: 'other permission' };
    if (!isMoved && known.key === key) return { kind: 'exists', project: known };
    const project = { ...known, path, key };
    return { kind: 'moved', registry: replaceProject(registry, project), project, ...(isMoved ? { from: known.path } : {}) };
  }
  const name = request.name ?? findFreeName(deriveProjectName(path), projects);
  const conflicting = projects.find((each) => each.name === name);
  if (conflicting) return { kind: 'refused', project: conflicting, why: 'name taken' };
  const project = { name, path, key, permission: permission ?? 'read', registeredAt: request.at };
  const sorted = [...projects, project].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: 'new', registry: { ...registry, projects: sorted }, project };
}

/** Replaces the entry with the name of `project`. */
export const replaceProject = (registry: ProjectRegistry, project: RegisteredProject): ProjectRegistry => ({
  ...registry,
  projects: registry.projects.map((each) => (each.name === project.name ? project : each)),
});

/** Returns the name, or the first free one of `web-2`, `web-3` and so on. */
export function findFreeName(preferred: string, projects: { name: string }[]): string {
  const used = new Set(projects.map(({ name }) => name));
  let name = preferred;
  for (let n = 2; used.has(name); n++) name = `${preferred.slice(0, 46)}-${n}`;
  return name;
}

/** Derives a project name from the folder. */
export const deriveProjectName = (path: string): string =>
  slugify(path.split(/[/\\]/).findLast((part) => part !== '') ?? '', { maxLength: 46, allow: '._-' }).replace(/^[._-]+|[._-]+$/g, '') ||
  'project';

/** True if a permission includes another. */
export const hasPermission = (has: Permission, needs: Permission): boolean =>
  PermissionSchema.options.indexOf(has) >= PermissionSchema.options.indexOf(needs);
