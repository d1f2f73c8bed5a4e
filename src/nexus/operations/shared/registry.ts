import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';
import '../../errors.ts';
import type { ProjectRegistry, ProjectView, RegisteredProject, RegistryText } from '../../model/nexus.ts';
import { formatRegistry, parseRegistry } from '../../rules/nexus-registry.ts';

/** Errors of operations that read the registry. */
export const registryErrors = ['E_NEXUS_NOT_INITIALIZED', 'E_NEXUS_REGISTRY_CORRUPT', 'E_FILE_ERROR'] as const;

/** Opens the project registry. Reading throws E_NEXUS_NOT_INITIALIZED if it is missing, and E_NEXUS_REGISTRY_CORRUPT if it is invalid;
 *  an invalid registry is never written. */
export async function openRegistry(platform: Platform) {
  const { createRegistryFile } = await import('#platform/registry.ts');
  const file = createRegistryFile(platform.home);
  const parse = (found: RegistryText | undefined): ProjectRegistry => {
    if (!found) throw new CleoError('E_NEXUS_NOT_INITIALIZED', { path: file.path });
    const read = 'text' in found ? parseRegistry(found.text) : found;
    if ('registry' in read) return read.registry;
    throw createCorruptError(platform, file.path, read);
  };
  return {
    /** Returns false if a valid registry exists. */
    create(text: string): boolean {
      if (file.create(text)) return true;
      parse(file.read());
      return false;
    },
    read: (): ProjectRegistry => parse(file.read()),
    /** Reads the registry and writes the returned one, if any. */
    change: <T>(work: (registry: ProjectRegistry) => { registry?: ProjectRegistry; result: T }): T =>
      file.update((found) => {
        const { registry, result } = work(parse(found));
        return { ...(registry ? { text: formatRegistry(registry) } : {}), result };
      }),
    path: file.path,
  };
}

/** Suggests to move the file aside instead of deleting it, so that it can be repaired. */
function createCorruptError(platform: Platform, path: string, { problem, isNewer }: { problem: string; isNewer?: true }): CleoError {
  const aside = `${path}.damaged-${platform.now().replace(/\D/g, '')}`;
  const fix = isNewer ? 'cleo version' : `mv ${quote(path)} ${quote(aside)} && cleo nexus init`;
  const manual = isNewer ? 'Update cleo' : `Repair ${path}, or move it aside and register the projects again`;
  return new CleoError('E_NEXUS_REGISTRY_CORRUPT', { path, problem, fix, manual, ...defined({ isNewer }) });
}

/** Finds a project by its name. `retry` formats the same command with another name. */
export function requireRegisteredProject({ projects }: ProjectRegistry, name: string, retry: (name: string) => string): RegisteredProject {
  const project = projects.find((project) => project.name === name);
  if (project) return project;
  const suggestions = findNearest(
    name,
    projects.map((project) => project.name),
  );
  const fix = suggestions.length === 1 ? retry(suggestions[0]!) : projects.length === 0 ? 'cleo help nexus register' : undefined;
  throw new CleoError('E_NEXUS_PROJECT_NOT_FOUND', { project: name, suggestions, ...defined({ fix }) });
}

export const toProjectView = ({ name, path, permission }: RegisteredProject): ProjectView => ({ name, path, permission });
