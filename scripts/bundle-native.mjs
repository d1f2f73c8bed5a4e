// Runs in Bun: compiles the sources to one executable. Its argument is JSON with the folder of the web page, the files of all operations,
// the path of the result and the profiles of earlier runs. The same modules are bundled as for Node; only the loader of operations and
// SHA-256 differ, and the settings of the start are removed first.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRemoval } from './native-start.mjs';
import { lazyResults, splitResult, toResultPath } from './split-result.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { files, webFolder, outfile, profiles } = JSON.parse(process.argv[2]);

/** Imports each operation by its own name, because Bun bundles only imports of fixed names. A `switch`, because a table would create a
 *  function for each operation at every start, and one for each domain, because a call decodes the whole function that it runs. */
const paths = files.map((file) => file.slice('src/'.length));
const domains = [...new Set(paths.map((path) => path.split('/', 1)[0]))];
const importOperation = `
async function importOperation(file: string): Promise<any> {
  switch (file.slice(0, file.indexOf('/'))) {
${domains.map((domain) => `    case '${domain}': return import_${domain}(file);`).join('\n')}
  }
  throw new Error(\`no file \${file}\`);
}
${domains.map(createDomainImport).join('')}`;

function createDomainImport(domain) {
  const own = paths.filter((path) => path.startsWith(`${domain}/`));
  return `
async function import_${domain}(file: string): Promise<any> {
  switch (file) {
${own.map((path) => `    case '${path}': return import('../${path}');`).join('\n')}
  }
  throw new Error(\`no file \${file}\`);
}
`;
}

/** Encodes the text as the function that it replaces does. */
const nativeSha256 = `
export const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex');
`;

const loader = {
  name: 'loader',
  setup(build) {
    const replaceText = (filter, pattern, replacement, end = '') =>
      build.onLoad({ filter }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = text.replace(pattern, replacement);
        if (contents === text) throw new Error(`${path} no longer contains the text that the build replaces`);
        return { contents: `${contents}${end}`, loader: 'ts' };
      });
    replaceText(/core[\\/]registry\.ts$/, /await import\(.*?\)/, 'await importOperation(file)', importOperation);
    // Without compiled code, SHA-256 in JavaScript takes 0.5 ms of a write.
    replaceText(/src[\\/]lib[\\/]digest\.ts$/, 'export function sha256(', 'function computeSha256(', nativeSha256);
    const lazyPaths = new Map(lazyResults.map((path) => [join(root, path), join(root, toResultPath(path))]));
    const resultPaths = new Map([...lazyPaths].map(([path, result]) => [result, path]));
    build.onLoad({ filter: /[\\/]operations[\\/][\w-]+\.ts$/ }, ({ path }) => {
      const result = lazyPaths.get(path);
      return result && { contents: splitResult(path, `import(${JSON.stringify(result)})`).operation, loader: 'ts' };
    });
    build.onResolve({ filter: /-result\.ts$/ }, ({ path }) => (resultPaths.has(path) ? { path } : undefined));
    build.onLoad({ filter: /-result\.ts$/ }, ({ path }) => {
      const operation = resultPaths.get(path);
      return operation && { contents: `${splitResult(operation, '').result}export { result };\n`, loader: 'ts' };
    });
    // The first module that runs.
    replaceText(/src[\\/]cli\.ts$/, /^import /m, "import 'cleo:removal';\nimport ");
    build.onResolve({ filter: /^cleo:removal$/ }, ({ path }) => ({ path, namespace: 'removal' }));
    build.onLoad({ filter: /^cleo:removal$/, namespace: 'removal' }, () => ({ contents: createRemoval(), loader: 'js' }));
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: join(root, 'src', 'surfaces', 'mcp', 'sdk-shims.ts'),
    }));
  },
};

const { success, logs } = await Bun.build({
  entrypoints: [join(root, 'src', 'cli.ts')],
  root,
  target: 'bun',
  format: 'esm',
  splitting: true,
  minify: true,
  bytecode: true,
  external: ['@photostructure/sqlite'],
  plugins: [loader],
  throw: false,
  compile: {
    outfile,
    assets: [relative(dirname(webFolder), webFolder)],
    // Files of the project must not change what cleo does: `.env` could trust it, and `bunfig.toml` could run its code.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
    // Commands end before compiled code pays off. Long work compiles its loops all the same: imports take as long as by default.
    jitPolicy: 100,
    ...(profiles.length > 0 ? { bytecodeOrder: profiles } : {}),
  },
});
if (!success) {
  for (const log of logs) console.error(log);
  process.exit(1);
}
