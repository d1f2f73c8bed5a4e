import type { Operation, Registry, RegistryEntry } from './define.ts';
import { operationPath } from './operation-path.ts';

/** An operation in the generated index: its name, its commands, and what differs from the most frequent values. Every start loads the
 *  whole index, so it is short. */
type IndexRow = [name: string, commands: string[], rest?: Partial<RegistryEntry>];

/** Creates the registry from an index with one line of JSON for each operation. Lines are parsed on demand: parsing all of them would
 *  cost a cold start 2 % and trigger the first garbage collection. */
export function createRegistry(text: string): Registry {
  const known = new Map<string, RegistryEntry>();
  const read = (line: string): RegistryEntry => {
    const entry = known.get(line) ?? toEntry(JSON.parse(line));
    known.set(line, entry);
    return entry;
  };
  /** Returns the entries whose lines contain a text that begins with `word`, up to a space or the end if it ends there. */
  const findMentions = (word: string): RegistryEntry[] => {
    const mentions: RegistryEntry[] = [];
    const begin = JSON.stringify(word).slice(0, -1);
    for (let at = text.indexOf(begin); at >= 0; ) {
      const after = text[at + begin.length];
      if (after !== '"' && after !== ' ') at = text.indexOf(begin, at + 1);
      else {
        const end = text.indexOf('\n', at);
        mentions.push(read(text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)));
        at = end < 0 ? end : text.indexOf(begin, end);
      }
    }
    return mentions;
  };
  const registry: Registry = {
    get entries() {
      return text.split('\n').map(read);
    },
    find(name) {
      for (const entry of findMentions(name)) if (entry.name === name || entry.aliases.includes(name)) return entry;
      return undefined;
    },
    findByFirstWord: findMentions,
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
