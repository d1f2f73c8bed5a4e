// Builds the web page into `dist/web`, or into the folder that is given. A page whose sources did not change is not built again.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeIndex } from './index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');

/** Builds the page unless the stamp next to the folder says that its sources are the same. */
export async function buildWeb(folder) {
  const stampFile = join(dirname(folder), 'web.sources.json');
  const stamp = readStamp(stampFile);
  if (stamp && existsSync(join(folder, 'index.html')) && hashFiles(listInputs(stamp.modules)) === stamp.hash) return;
  const modules = new Set();
  const chunks = {};
  const { build } = await import('vite');
  rmSync(folder, { recursive: true, force: true });
  await build({
    configFile: join(web, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
    plugins: [
      {
        name: 'list-modules',
        moduleParsed: ({ id }) => {
          if (id.startsWith(root) && !id.includes('?')) modules.add(relative(root, id).replaceAll('\\', '/'));
        },
        writeBundle: (_, bundle) => {
          for (const { fileName, isEntry, imports, viteMetadata, facadeModuleId } of Object.values(bundle))
            if (imports)
              chunks[fileName] = {
                source: facadeModuleId && relative(web, facadeModuleId).replaceAll('\\', '/'),
                isEntry,
                loads: [...imports, ...viteMetadata.importedCss, ...viteMetadata.importedAssets],
              };
        },
      },
    ],
  });
  const own = [...modules].sort();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ hash: hashFiles(listInputs(own)), modules: own, chunks }));
}

/** Lists the packages whose code is in the page, for the licenses. */
export function listWebPackages(folder) {
  const { modules } = readStamp(join(dirname(folder), 'web.sources.json')) ?? { modules: [] };
  return [...new Set(modules.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))];
}

/** Lists the files that a first visit loads for each view, by the source of the view. */
export function listFirstVisits(folder) {
  const { chunks } = readStamp(join(dirname(folder), 'web.sources.json'));
  const close = (names) => {
    const loaded = new Set(['index.html', 'theme.js', 'icon.svg', ...names]);
    for (const name of loaded) for (const next of chunks[name]?.loads ?? []) loaded.add(next);
    return [...loaded];
  };
  const entries = Object.keys(chunks).filter((name) => chunks[name].isEntry);
  const views = Object.keys(chunks).filter((name) => chunks[name].source?.endsWith('-view.tsx'));
  return Object.fromEntries(views.map((name) => [chunks[name].source, close([...entries, name])]));
}

/** Everything in `web/` but tests, benchmarks and pictures, and the modules of `src/` and of packages that the page imports. */
const listInputs = (modules) =>
  [...new Set([...listFiles(web).map((path) => relative(root, path).replaceAll('\\', '/')), ...modules, 'scripts/build-web.mjs'])].sort();

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['test', 'bench', 'shots'].includes(entry.name) ? [] : listFiles(path);
    return /\.generated\.ts$|\.md$/.test(entry.name) ? [] : [path];
  });
}

function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const file = join(root, path);
    hash.update(`${path}\n`);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeIndex();
  await buildWeb(resolve(root, process.argv[2] ?? 'dist/web'));
}
