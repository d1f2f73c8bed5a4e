import type { Operation, Registry, RegistryEntry } from './define.ts';

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

/** Folder of the operations of each namespace, below `src/`, and of the operations whose domain differs from their namespace. A text,
 *  because every start would create an object with all its keys to look up one of them. */
const folders = `
admin admin/operations
assess assess/operations
construct runs/operations/construct
docs documents/operations
handoff runs/operations/handoff
lifecycle planning/operations/lifecycle
memory memory/operations
nexus nexus/operations
orchestrate orchestration/operations
release release/operations
research research/operations
review runs/operations/review
saga planning/operations/saga
session sessions/operations/session
skills skills/operations
system sessions/operations/system
sync transfer/operations/sync
tasks tasks/operations
trace runs/operations/trace
validate research/operations/validate
validator verification/operations/validator
verify verification/operations/verify
work work/operations
workgraph planning/operations/workgraph
admin.grade grade/operations
admin.grade.list grade/operations
admin.grade.sign grade/operations
admin.setup.git transfer/operations
admin.trust admin/operations/trust
admin.trust.list admin/operations/trust
admin.trust.print admin/operations/trust
admin.trust.remove admin/operations/trust
admin.trust.status admin/operations/trust
admin.proof.passphrase sessions/operations/proof
admin.proof.verify sessions/operations/proof
skills.run runs/operations/skills
tasks.context orchestration/operations/tasks
tasks.export transfer/operations
tasks.export.file transfer/operations
tasks.import transfer/operations
tasks.imported transfer/operations
`;

function findFolder(key: string): string | undefined {
  const start = folders.indexOf(`\n${key} `);
  return start < 0 ? undefined : folders.slice(start + key.length + 2, folders.indexOf('\n', start + 1));
}

/** Returns the file and export of an operation: `tasks.add-batch` is `tasksAddBatch` in `tasks/operations/add-batch.ts`. */
export function operationPath(name: string): { file: string; exported: string } {
  const dot = name.indexOf('.');
  const folder = findFolder(name) ?? findFolder(name.slice(0, dot));
  return {
    file: `${folder}/${name.slice(dot + 1).replaceAll('.', '-')}.ts`,
    exported: toCamelCase(name),
  };
}

/** A loop, because a replacement with a pattern and a function takes 0.03 ms, and every start needs one name. */
function toCamelCase(name: string): string {
  let text = '';
  for (let i = 0; i < name.length; i++) text += name[i] === '.' || name[i] === '-' ? name[++i]!.toUpperCase() : name[i];
  return text;
}
