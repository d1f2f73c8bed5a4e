import '../../errors.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { nearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';
import type { ProjectView, RegisteredProject, Registry, RegistryText } from '../../model/nexus.ts';
import { readRegistry, registryText } from '../../rules/nexus-registry.ts';

/** What whoever reads the registry may be refused with. */
export const registryErrors = ['E_NEXUS_NOT_INITIALIZED', 'E_NEXUS_REGISTRY_CORRUPT', 'E_FILE_ERROR'] as const;

/** The registry of projects: 70 where there is none, 75 where it cannot be read; then it is never written. */
export async function registryOf(platform: Platform) {
  const { registryFile } = await import('#platform/registry.ts');
  const file = registryFile(platform.home);
  const parsed = (found: RegistryText | undefined): Registry => {
    if (!found) throw new CleoError('E_NEXUS_NOT_INITIALIZED', { path: file.path });
    const read = 'text' in found ? readRegistry(found.text) : found;
    if ('registry' in read) return read.registry;
    throw corrupt(platform, file.path, read);
  };
  return {
    /** False if it is there, and sound. */
    create(text: string): boolean {
      if (file.create(text)) return true;
      parsed(file.read());
      return false;
    },
    read: (): Registry => parsed(file.read()),
    /** Reads it, and writes what comes back as `registry`, if anything does. */
    change: <T>(work: (registry: Registry) => { registry?: Registry; result: T }): T =>
      file.change((found) => {
        const { registry, result } = work(parsed(found));
        return { ...(registry ? { text: registryText(registry) } : {}), result };
      }),
    path: file.path,
  };
}

/** Putting it aside keeps every byte of it, and whoever mends it has something to mend. */
function corrupt(platform: Platform, path: string, { problem, isNewer }: { problem: string; isNewer?: true }): CleoError {
  const aside = `${path}.damaged-${platform.now().replace(/\D/g, '')}`;
  const fix = isNewer ? 'cleo version' : `mv ${quote(path)} ${quote(aside)} && cleo nexus init`;
  return new CleoError('E_NEXUS_REGISTRY_CORRUPT', { path, problem, fix, ...(isNewer ? { isNewer } : {}) });
}

export interface Meant {
  name: string;
  /** The same command with another name. */
  retry?: (name: string) => string;
}

export function requireProject({ projects }: Registry, { name, retry }: Meant): RegisteredProject {
  const found = projects.find((project) => project.name === name);
  if (found) return found;
  const near = nearest(
    name,
    projects.map((project) => project.name),
  );
  const fix = near.length === 1 && retry ? retry(near[0]!) : undefined;
  throw new CleoError('E_NEXUS_PROJECT_NOT_FOUND', { project: name, near, ...(fix ? { fix } : {}) });
}

export const viewOf = ({ name, path, permission }: RegisteredProject): ProjectView => ({ name, path, permission });
