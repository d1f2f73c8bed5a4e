// Reads the definition of every operation and writes the index, so that a cold start need not load the operations it does not run.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeSkills } from './skills.mjs';
import { formatWebClient } from './web-client.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'src');
const target = join(folder, 'core', 'index.generated.ts');
const synonymsTarget = join(folder, 'core', 'synonyms.generated.ts');
const protocol = join(root, 'protocols', 'CLEO-INJECTION.md');
const protocolTarget = join(folder, 'orchestration', 'protocol.generated.ts');
const protocolsTarget = join(folder, 'orchestration', 'protocols.generated.ts');
const webClientTarget = join(root, 'web', 'src', 'api', 'operations.generated.ts');

const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(
    (entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') && !entry.name.endsWith('.generated.ts'),
  )
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((path) => path.includes('/operations/') && !path.includes('/shared/'))
  .sort();

/** The registry loads an operation by name at run time. esbuild would bundle every file that the name can mean, tests included. */
const withoutOperationImport = {
  name: 'without-operation-import',
  setup(pass) {
    pass.onLoad({ filter: /core[\\/]registry\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/await import\(.*?\)/, '{}'),
      loader: 'ts',
    }));
  },
};

/** Writes all generated files. Returns the first words of all commands and the files of all operations. */
export async function writeIndex() {
  writeProtocol();
  writeProtocols();
  await writeSkills();
  // Help reads the synonyms, so the definitions cannot be bundled without the file.
  if (read(synonymsTarget) === undefined) writeSynonyms([]);
  const bundle = join(root, 'node_modules', `.cache-cleo-index-${process.pid}.mjs`);
  try {
    await build({
      stdin: {
        contents: [
          ...sources.map((path, i) => `export * as m${i} from './${path}';`),
          `export { processes } from './admin/operations/shared/processes.ts';`,
          `export { operationPath } from './core/registry.ts';`,
          `export { createJsonSchema } from './core/model/json-schema.ts';`,
        ].join('\n'),
        resolveDir: folder,
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      outfile: bundle,
      logLevel: 'error',
      plugins: [withoutOperationImport],
    });
    const modules = await import(`${pathToFileURL(bundle).href}?${Date.now()}`);
    const lines = sources.flatMap((path, i) =>
      Object.entries(modules[`m${i}`])
        .filter(([, value]) => value && typeof value === 'object' && 'run' in value && 'params' in value)
        .map(([exported, op]) => {
          const commands = [op.cli.command].flat();
          // The registry fills in the most frequent values.
          const rest = {
            ...(op.aliases?.length ? { aliases: op.aliases } : {}),
            ...(op.kind === 'query' ? {} : { kind: op.kind }),
            ...(op.tier === 1 ? {} : { tier: op.tier }),
            ...(op.cli.select ? { select: op.cli.select } : {}),
            ...(op.cli.selectedBy ? { selectedBy: op.cli.selectedBy } : {}),
            ...(op.cli.isDefault ? { isDefault: true } : {}),
          };
          const row = [op.name, commands, ...(Object.keys(rest).length > 0 ? [rest] : [])];
          const expected = modules.operationPath(op.name);
          if (path !== expected.file || exported !== expected.exported)
            throw new Error(`${op.name} must be ${expected.exported} in ${expected.file}; it is ${exported} in ${path}`);
          return { name: op.name, op, commands, path, row, synonyms: op.synonyms ?? [], shortcuts: op.shortcuts ?? {} };
        }),
    );
    lines.sort((a, b) => (a.name < b.name ? -1 : 1));
    // One string: V8 would create every literal and function again from the code cache.
    const rows = lines.map((line) => JSON.stringify(line.row)).join('\n');
    const text = `// Generated from the definitions by scripts/index.mjs; not in git.\nimport { createRegistry } from './registry.ts';\n\nexport const registry = createRegistry(\n  ${JSON.stringify(rows)},\n);\n`;
    if (read(target) !== text) writeFileSync(target, text);
    writeSynonyms(lines);
    writeWebClient(
      formatWebClient(
        lines.map(({ op }) => op),
        modules.createJsonSchema,
      ),
    );
    const commands = [...lines.flatMap((line) => line.commands), ...modules.processes.map(({ cli }) => cli.command)];
    return {
      words: [...new Set(commands.map((command) => command.split(' ')[0]))].sort(),
      files: [...new Set(lines.map((line) => `src/${line.path}`))],
    };
  } finally {
    rmSync(bundle, { force: true });
  }
}

/** Writes the synonyms of all operations as a module of its own: a cold start does not load it. */
function writeSynonyms(lines) {
  const all = lines.flatMap(({ name, commands: [command], synonyms, shortcuts }) =>
    [...synonyms.map((word) => [word, {}]), ...Object.entries(shortcuts)].map(([word, shortcut]) => ({
      name: name.replace(/[^.]+$/, word.replaceAll(' ', '.')),
      command: command.replace(/\S+$/, word),
      operation: name,
      ...('args' in shortcut ? { shortcut } : {}),
    })),
  );
  const text = `// Generated from the definitions by scripts/index.mjs; not in git.\nimport type { Synonym } from './synonym.ts';\n\nexport const synonyms: Synonym[] = ${JSON.stringify(all, null, 2)};\n`;
  if (read(synonymsTarget) !== text) writeFileSync(synonymsTarget, text);
}

/** Writes the types of the web page's client. */
function writeWebClient(text) {
  if (read(webClientTarget) === text) return;
  mkdirSync(dirname(webClientTarget), { recursive: true });
  writeFileSync(webClientTarget, text);
}

/** Writes the protocol text as a module, so that the build contains it. */
function writeProtocol() {
  const text = `// Generated from protocols by scripts/index.mjs; not in git.\nexport const protocolText = ${JSON.stringify(readFileSync(protocol, 'utf8'))};\n`;
  if (read(protocolTarget) !== text) writeFileSync(protocolTarget, text);
}

/** Writes the protocols of all kinds of work and the base protocol as a module. */
function writeProtocols() {
  const texts = Object.fromEntries(
    readdirSync(join(root, 'protocols'))
      .filter((name) => /^[a-z-]+\.md$/.test(name))
      .sort()
      .map((name) => [name.slice(0, -'.md'.length), readFileSync(join(root, 'protocols', name), 'utf8')]),
  );
  const { base, ...conditional } = texts;
  const text = `// Generated from protocols by scripts/index.mjs; not in git.\nimport type { ProtocolName } from '#skills/model/protocol.ts';\n\nexport const baseProtocol = ${JSON.stringify(base)};\n\nexport const protocols: Record<ProtocolName, string> = ${JSON.stringify(conditional, null, 2)};\n`;
  if (read(protocolsTarget) !== text) writeFileSync(protocolsTarget, text);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeIndex();
