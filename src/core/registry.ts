import type { Operation, Registry, RegistryEntry } from './define.ts';
import { operationPath } from './operation-path.ts';

/** An operation in the generated index: its name, its commands, and what differs from the most frequent values. Every start loads the
 *  whole index, so it is short. */
type IndexRow = [name: string, commands: string[], rest?: Partial<RegistryEntry>];

/** Creates the registry from an index with one line of JSON for each operation. Lines are parsed on demand: parsing all of them would
 *  cost a cold start 2 % and trigger the first garbage collection. */
export function createRegistry(text: string): Registry {
  const lines = text.split('\n');
  const known = new Map<string, RegistryEntry>();
  const read = (line: string): RegistryEntry => {
    const entry = known.get(line) ?? toEntry(JSON.parse(line));
    known.set(line, entry);
    return entry;
  };
  const registry: Registry = {
    get entries() {
      return lines.map(read);
    },
    find(name) {
      const quoted = JSON.stringify(name);
      const mentions = lines.filter((line) => line.includes(quoted)).map(read);
      return mentions.find((entry) => entry.name === name || entry.aliases.includes(name));
    },
    findByFirstWord(word) {
      const quoted = JSON.stringify(word);
      const prefix = `${quoted.slice(0, -1)} `;
      return lines.filter((line) => line.includes(quoted) || line.includes(prefix)).map(read);
    },
    async load(name) {
      const entry = registry.find(name);
      if (!entry) throw new Error(`no operation ${name}`);
      return entry.load();
    },
  };
  return registry;
}

const toEntry = ([name, commands, rest]: IndexRow): RegistryEntry => ({
  name,
  aliases: noAliases,
  kind: 'query',
  tier: 1,
  commands,
  ...rest,
  load: () => loadOperation(name),
});

const noAliases: string[] = [];

/** Loads the module of an operation. The build replaces this import by its own loader. */
async function loadOperation(name: string): Promise<Operation> {
  const { file, exported } = operationPath(name);
  return (await import(/* @vite-ignore */ `../${file}`))[exported];
}
