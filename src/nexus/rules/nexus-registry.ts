import { safeParse } from 'valibot';
import { type Permission, type RegisteredProject, Registry } from '../model/nexus.ts';

export const emptyRegistry = (): string => registryText({ format: 'cleo-nexus', version: 1, projects: [] });
export const registryText = (registry: Registry): string => `${JSON.stringify(registry, null, 2)}\n`;

/** The registry in a text, or what is wrong with it. Nothing is mended on the way: who reads half of it writes half of it back. */
export function readRegistry(text: string): { registry: Registry } | { problem: string; isNewer?: true } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: text.trim() === '' ? 'is empty' : `is not valid JSON (${(error as Error).message})` };
  }
  const { format, version } = (typeof value === 'object' && value !== null ? value : {}) as { format?: unknown; version?: unknown };
  if (format !== 'cleo-nexus') return { problem: 'is not a registry of projects' };
  if (typeof version === 'number' && version > 1) return { problem: `has version ${version}; this cleo knows 1`, isNewer: true };
  const read = safeParse(Registry, value);
  if (!read.success) {
    const [issue] = read.issues;
    return { problem: `${issue.path?.map((step) => String(step.key)).join('.') ?? 'the registry'}: ${issue.message}` };
  }
  // The value itself, not what was parsed of it: fields that are not ours keep their place.
  const registry = value as Registry;
  const problem = problemIn(registry.projects);
  return problem === undefined ? { registry } : { problem };
}

function problemIn(projects: RegisteredProject[]): string | undefined {
  const double = projects.find(({ name }, i) => projects.findIndex((other) => other.name === name) !== i);
  if (double) return `has ${double.name} twice`;
  const relative = projects.find(({ path }) => !/^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path) || path.includes('\0'));
  return relative && `the path of ${relative.name} is not absolute`;
}

export interface Wish {
  name?: string | undefined;
  permission?: Permission | undefined;
  path: string;
  /** Empty where its configuration has none. */
  key: string;
  at: string;
}

export type Registration =
  | { is: 'new' | 'moved'; registry: Registry; project: RegisteredProject; from?: string }
  | { is: 'there'; project: RegisteredProject }
  | { is: 'refused'; project: RegisteredProject; why: 'name taken' | 'other name' | 'other permission' | 'copy' };

/** What comes of a wish to register a project. It is known by its folder, or by its key where it has moved: then its entry moves along.
 *  It has one name. A folder with the key of a project that is still where it was is a copy, and needs a key of its own. */
export function register(registry: Registry, wish: Wish, isStanding: (project: RegisteredProject) => boolean): Registration {
  const { projects } = registry;
  const known = projects.find(({ path }) => path === wish.path) ?? (wish.key ? projects.find(({ key }) => key === wish.key) : undefined);
  if (known) {
    if (known.path !== wish.path && isStanding(known)) return { is: 'refused', project: known, why: 'copy' };
    if (wish.name !== undefined && wish.name !== known.name) return { is: 'refused', project: known, why: 'other name' };
    if (wish.permission !== undefined && wish.permission !== known.permission)
      return { is: 'refused', project: known, why: 'other permission' };
    if (known.path === wish.path && known.key === wish.key) return { is: 'there', project: known };
    const project = { ...known, path: wish.path, key: wish.key };
    return {
      is: 'moved',
      registry: { ...registry, projects: projects.map((each) => (each === known ? project : each)) },
      project,
      ...(known.path === wish.path ? {} : { from: known.path }),
    };
  }
  const name = wish.name ?? freeName(nameOf(wish.path), projects);
  const taken = projects.find((each) => each.name === name);
  if (taken) return { is: 'refused', project: taken, why: 'name taken' };
  const project = { name, path: wish.path, key: wish.key, permission: wish.permission ?? 'read', registeredAt: wish.at };
  const sorted = [...projects, project].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { is: 'new', registry: { ...registry, projects: sorted }, project };
}

/** `web`, or `web-2` and so on where that is taken. */
export function freeName(wanted: string, projects: { name: string }[]): string {
  const taken = new Set(projects.map(({ name }) => name));
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, 46)}-${n}`;
  return name;
}

/** What a folder is called, as far as it can be a project's name. */
export const nameOf = (path: string): string =>
  (path.split(/[/\\]/).findLast((part) => part !== '') ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 46) || 'project';

const order: Permission[] = ['none', 'read', 'write', 'execute'];

/** Each permission holds those before it. */
export const permits = (has: Permission, needs: Permission): boolean => order.indexOf(has) >= order.indexOf(needs);
