import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getErrorCatalog } from '../src/admin/all-errors.ts';
import { describeParams, listCommandNames } from '../src/core/command-line.ts';
import { listResultKeys } from '../src/core/define.ts';
import { exitCodes } from '../src/core/errors/exit-codes.ts';
import { registry } from '../src/core/index.generated.ts';
import type { View } from '../src/core/terminal/index.ts';
import { migrations } from '../src/store/migrations/all.ts';
import { computeChecksum } from '../src/store/migrations/migration.ts';
import { schemaVersion } from '../src/store/schema-version.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Lists the hand-written files of the repository by their path from the root. */
function files(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|\.git|\.cleo|dist.*)$/.test(entry.name) ? [] : files(path, pattern);
    return pattern.test(path) && !path.endsWith('.generated.ts') && entry.name !== 'package-lock.json' ? [path] : [];
  });
}

const everything = files('.', /\.(ts|mjs|cjs|js|json|md|css|html|tsx)$|^\.ci\//);
const source = files('src', /\.ts$/);
const isTest = (path: string): boolean => path.endsWith('.test.ts');
const shipped = source.filter((path) => !isTest(path));
/** Returns the code without comments, which may contain forbidden names. */
const code = (path: string): string => read(path).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
const at = (path: string, pattern: RegExp): string[] => [...code(path).matchAll(pattern)].map((found) => `${path}: ${found[0].trim()}`);

/** Layer of a file. Every layer imports only the layers listed for it in `layers`. */
function layerOf(path: string): string {
  if (
    ['src/main.ts', 'src/servers.ts', 'src/cli.ts', 'src/deleted-folder.ts', 'src/fresh-clone.ts', 'src/locate-postgres.ts'].includes(path)
  )
    return 'main';
  if (path === 'src/version.ts' || path.endsWith('.generated.ts')) return 'model';
  if (/^src\/store\/(port\b|schema-version\.ts$)/.test(path)) return 'store port';
  if (/^src\/platform\/(runner\/|signing\/|records\/|backups\/|git-|plan-)?port\.ts$/.test(path)) return 'platform port';
  if (/^src\/\w+\/((all-)?errors\.ts$|errors\/)/.test(path)) return 'errors';
  if (path.startsWith('src/runs/runner/')) return 'runner';
  return /^src\/\w+\/(?:(model|rules|operations)\/|(view)(?:\.ts$|\/))/.exec(path)?.slice(1).find(Boolean) ?? path.split('/')[1]!;
}

const ports = ['lib', 'model', 'errors', 'rules', 'store port', 'platform port'];
const layers: Record<string, string[]> = {
  lib: ['lib'],
  model: ['model', 'lib'],
  errors: ['errors', 'model', 'lib'],
  rules: ['rules', 'errors', 'model', 'lib'],
  'store port': ['store port', 'errors', 'model', 'lib'],
  'platform port': ['platform port', 'errors', 'model', 'lib'],
  store: [...ports, 'store'],
  platform: [...ports, 'platform'],
  core: [...ports, 'core'],
  runner: [...ports, 'runner'],
  operations: [...ports, 'core', 'runner', 'operations'],
  view: ['lib', 'model', 'errors', 'core', 'view'],
  dispatch: [...ports, 'core', 'operations', 'dispatch'],
  surfaces: ['lib', 'model', 'errors', 'core', 'operations', 'dispatch', 'surfaces'],
};
/** Layers that a file may load with `import()` in addition: a job may build on an implementation. */
const lazyLayers: Record<string, string[]> = { operations: ['store', 'platform', 'view'], view: ['operations'] };

const infrastructure = ['dispatch', 'platform', 'store', 'surfaces', 'main'];
const domainOf = (path: string): string => (path.split('/').length === 2 ? 'main' : path.split('/')[1]!);
/** Domains that each domain may import. `import()` at the point of use is allowed in every direction. */
const domains: Record<string, string[]> = {
  lib: [],
  core: ['lib'],
  tasks: ['core', 'lib'],
  detect: ['core', 'lib'],
  sessions: ['core', 'lib', 'memory', 'tasks'],
  verification: ['core', 'detect', 'lib', 'sessions', 'tasks'],
  planning: ['core', 'lib', 'tasks'],
  transfer: ['core', 'documents', 'lib', 'memory', 'sessions', 'tasks', 'verification'],
  skills: ['core', 'lib', 'tasks'],
  nexus: ['core', 'lib', 'tasks'],
  release: ['core', 'lib', 'tasks', 'verification'],
  runs: ['core', 'lib', 'planning', 'sessions', 'skills', 'tasks', 'verification'],
  documents: ['core', 'lib', 'memory', 'runs', 'tasks'],
  memory: ['core', 'documents', 'lib', 'sessions', 'tasks'],
  research: ['core', 'lib', 'memory', 'skills', 'tasks', 'verification'],
  orchestration: ['core', 'detect', 'lib', 'memory', 'planning', 'research', 'sessions', 'skills', 'tasks', 'verification'],
  admin: [
    'core',
    'detect',
    'lib',
    'memory',
    'nexus',
    'orchestration',
    'planning',
    'research',
    'runs',
    'sessions',
    'tasks',
    'transfer',
    'verification',
    'work',
  ],
  grade: ['admin', 'core', 'lib', 'tasks'],
  assess: ['core', 'grade', 'lib', 'runs'],
  work: ['core', 'lib', 'orchestration', 'planning', 'research', 'runs', 'sessions', 'tasks', 'verification'],
};

describe('imports', () => {
  const imports = (path: string, pattern: RegExp): string[] =>
    [...code(path).matchAll(pattern)].map((found) => {
      const target = found[1]!;
      const file = target.startsWith('#') ? join(root, 'src', target.slice(1)) : resolve(root, dirname(path), target);
      return relative(root, file).replaceAll('\\', '/');
    });
  const fixed = /^(?:import|export)\b(?:[^;]*?\bfrom)?\s+'([.#][^']+\.ts)'/gm;
  const late = /\bimport\(\s*'([.#][^']+)'\s*\)/g;

  test.each(shipped.filter((path) => layerOf(path) !== 'main'))('%s imports only layers below its own', (path) => {
    const allowed = layers[layerOf(path)] ?? [];
    const lazy = [...allowed, ...(lazyLayers[layerOf(path)] ?? [])];
    const forbidden = [
      ...imports(path, fixed).filter((target) => !allowed.includes(layerOf(target))),
      ...imports(path, late).filter((target) => !lazy.includes(layerOf(target))),
    ];
    expect(forbidden).toEqual([]);
  });

  test('a domain imports only the domains of the table', () => {
    const forbidden = shipped
      .filter((path) => !infrastructure.includes(domainOf(path)))
      .flatMap((path) =>
        imports(path, fixed)
          .filter((target) => {
            const [from, to] = [domainOf(path), domainOf(target)];
            return from !== to && !infrastructure.includes(to) && !domains[from]?.includes(to);
          })
          .map((target) => `${path} → ${target}`),
      );
    expect(forbidden).toEqual([]);
  });

  test('at most three pairs of domains import each other', () => {
    const pairs = Object.entries(domains).flatMap(([from, targets]) =>
      targets.filter((to) => from < to && domains[to]?.includes(from)).map((to) => `${from} ↔ ${to}`),
    );
    expect(pairs).toEqual(['sessions ↔ memory', 'documents ↔ memory'].map((pair) => pair.split(' ↔ ').sort().join(' ↔ ')).sort());
  });

  test('a file imports its own domain by a relative path and others by #domain', () => {
    const wrong = shipped
      .filter((path) => domainOf(path) !== 'main')
      .flatMap((path) =>
        [...code(path).matchAll(fixed), ...code(path).matchAll(late)]
          .map((found) => found[1]!)
          .filter((target) =>
            target.startsWith('#')
              ? domainOf(`src/${target.slice(1)}`) === domainOf(path)
              : domainOf(relative(root, resolve(root, dirname(path), target)).replaceAll('\\', '/')) !== domainOf(path),
          )
          .map((target) => `${path}: ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('no surface imports another', () => {
    const surface = (path: string): string | undefined => /^src\/surfaces\/([^/]+)\//.exec(path)?.[1];
    const strangers = shipped.flatMap((path) =>
      [...imports(path, fixed), ...imports(path, late)].filter(
        (target) => surface(path) && surface(target) && surface(target) !== surface(path),
      ),
    );
    expect(strangers).toEqual([]);
  });

  test('every import resolves to a file', () => {
    const missing = source.flatMap((path) =>
      [...imports(path, fixed), ...imports(path, late)]
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('invariants', () => {
  test('rules are pure: no I/O, nothing async, no clock, no randomness', () => {
    const impure =
      /\b(?:from|import)\b[\s(]*'node:[^']*'|\basync\b|\bawait\b|\bPromise\b|\bnew Date\(\)|\bDate\.now\b|\bMath\.random\b|\bperformance\b|(?<![.-])\bprocess[.[]|= process\b/g;
    expect(shipped.filter((path) => ['rules', 'lib'].includes(layerOf(path))).flatMap((path) => at(path, impure))).toEqual([]);
  });

  test('SQL is only under store', () => {
    const sql =
      /\bsql`|['"`]\s*(select\s[\s\S]*?\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(table|index)\s|alter\s+table\s|pragma\s|begin\s+immediate)/gi;
    expect(shipped.filter((path) => !path.startsWith('src/store/')).flatMap((path) => at(path, sql))).toEqual([]);
  });

  test('only the CLI, the platform and main use the process and the terminal', () => {
    const mayUse = (path: string): boolean =>
      path.startsWith('src/surfaces/cli/') || path.startsWith('src/platform/') || ['src/main.ts', 'src/servers.ts'].includes(path);
    const own = /\bprocess\.(exit|env|stdout|stderr|stdin|argv|cwd)\b|\bconsole\.\w+/g;
    expect(shipped.filter((path) => !mayUse(path)).flatMap((path) => at(path, own))).toEqual([]);
  });

  test('dispatch contains no operation names', () => {
    const names = new Set(registry.entries.map((entry) => entry.name));
    const quoted = shipped
      .filter((path) => path.startsWith('src/dispatch/'))
      .flatMap((path) =>
        [...code(path).matchAll(/'([\w.-]+)'/g)].filter(([, word]) => names.has(word ?? '')).map(([, word]) => `${path}: ${word}`),
      );
    expect(quoted).toEqual([]);
  });

  test('no code uses the type any', () => {
    const loose = /[:<|&,]\s*any\b(?=\s*[;,)>|&=[\]}]|$)|\bas any\b/gm;
    expect(shipped.flatMap((path) => at(path, loose))).toEqual([]);
  });

  test('no code uses APIs newer than Node 20', () => {
    const newer =
      /\b(?:Map|Object)\.groupBy\b|\bPromise\.(?:withResolvers|try)\b|\bArray\.fromAsync\b|\bimport\.meta\.main\b|\bRegExp\.escape\b|\bIterator\.from\b|\.isSubsetOf\(|\.union\(new Set/g;
    expect(shipped.flatMap((path) => at(path, newer))).toEqual([]);
  });

  test('no file has more than 400 lines', () => {
    const long = everything
      .filter((path) => /\.(ts|tsx|mjs|cjs|js|css)$/.test(path))
      .map((path) => ({ path, lines: read(path).split('\n').length }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  test('no folder has more than 40 files', () => {
    const counts = new Map<string, number>();
    for (const path of shipped) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });

  test('no code contains reminders', () => {
    const later = new RegExp(`\\b(?:${['TO', 'FIX', 'XX', 'HA'].map((part, i) => part + ['DO', 'ME', 'X', 'CK'][i]).join('|')})\\b`, 'g');
    expect(everything.flatMap((path) => [...read(path).matchAll(later)].map((found) => `${path}: ${found[0]}`))).toEqual([]);
  });

  test('no test is skipped', () => {
    const tests = everything.filter((path) => /\.test\.tsx?$/.test(path));
    const idle = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf)\b|\b(?:xit|xtest|fdescribe|fit)\(/g;
    expect(tests.flatMap((path) => at(path, idle))).toEqual([]);
  });

  test('no file has an empty name such as utils', () => {
    expect(source.filter((path) => /(utils?|helpers?|manager|service|common|misc)\.(test\.)?ts$/.test(path))).toEqual([]);
    expect(source.filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.generated)?\.ts$/.test(path.split('/').at(-1)!))).toEqual([]);
  });
});

describe('operations', () => {
  const definitions = source.filter(
    (path) => layerOf(path) === 'operations' && !isTest(path) && /^export const \w+ = (query|mutation|job)\(/m.test(read(path)),
  );

  test('every definition is in the index', () => {
    const declared = definitions.flatMap((path) =>
      [...read(path).matchAll(/ = (?:query|mutation|job)\(\{\n {2}name: '([^']+)'/g)].map((found) => found[1]!),
    );
    expect(declared.sort()).toEqual(registry.entries.map((entry) => entry.name).sort());
  });

  test.each(registry.entries.map((entry) => entry.name))('%s is called by a test in its domain', (name) => {
    const folder = `src/${domainOf(definitions.find((path) => read(path).includes(`  name: '${name}',`))!)}`;
    const tests = files(folder, /\.test\.ts$/).filter((path) => read(path).includes(`'${name}'`));
    expect(tests).not.toEqual([]);
  });

  test.each(registry.entries.map((entry) => [entry.name, entry] as const))('%s has a valid definition', async (name, entry) => {
    const operation = await entry.load();
    expect(operation.summary).toMatch(/^[A-Z][^\n]{4,99}[^.\s]$/);
    expect(operation.example.call).toBeTypeOf('object');
    const shapes = describeParams(operation.params);
    expect(shapes.filter((shape) => shape.about === '').map((shape) => shape.name)).toEqual([]);
    const { args = [], short = {}, read: sources = {}, raw, demo } = operation.cli;
    const names = shapes.map((shape) => shape.name);
    expect(names).toEqual(expect.arrayContaining([...args, ...Object.values(short), ...Object.keys(sources)]));
    const results = listResultKeys(operation);
    expect(results.length).toBeGreaterThan(0);
    expect(results).toEqual(expect.arrayContaining([raw, demo].filter((key) => key !== undefined)));
    expect(results).not.toContain('data');
    expect(name).toMatch(/^[a-z]+(\.[a-z]+(-[a-z]+)*)+$/);
    expect(listCommandNames(operation).every((command) => /^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*){0,2}$/.test(command))).toBe(true);
  });

  test('every form of a view draws a result key of an operation that names the view', async () => {
    const results = new Map<View, string[]>();
    for (const entry of registry.entries) {
      const operation = await entry.load();
      const { cli, exitNamespace } = operation;
      const view = await cli.view?.();
      if (view) results.set(view, [...(results.get(view) ?? []), ...listResultKeys(operation)]);
      expect([entry.name, exitNamespace !== undefined && view?.error === undefined]).toEqual([entry.name, false]);
    }
    expect([...results].flatMap(([{ forms }, keys]) => Object.keys(forms).filter((key) => !keys.includes(key)))).toEqual([]);
  });

  test('no two operations have the same command or name', () => {
    const words = registry.entries.flatMap((entry) =>
      entry.commands.map((command) => `${command}${entry.select ? ` --${entry.select}` : ''}`),
    );
    expect(words.filter((command, i) => words.indexOf(command) !== i)).toEqual([]);
    const names = registry.entries.flatMap((entry) => [entry.name, ...entry.aliases]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});

describe('errors', () => {
  test.each(Object.keys(getErrorCatalog()))('%s is thrown somewhere and has an exit code of the table', (code) => {
    // The catalog only lists them; a domain may create its own.
    const users = shipped.filter(
      (path) => path !== 'src/core/errors/catalog.ts' && new RegExp(`CleoError\\(\\s*'${code}'`).test(read(path)),
    );
    expect(users).not.toEqual([]);
    expect(exitCodes.map((exit) => exit.code)).toContain(getErrorCatalog()[code as keyof ReturnType<typeof getErrorCatalog>].exit);
  });
});

describe('errors of a domain', () => {
  const errorFiles = shipped.filter((path) => layerOf(path) === 'errors' && /^addErrorRows\(/m.test(read(path)));

  test.each(errorFiles)('every file that throws an error of %s imports it', (file) => {
    const rows = [...code(file).matchAll(/^ {2}(E_[A-Z_]+): row/gm)].map((found) => found[1]!);
    const throws = new RegExp(`CleoError\\(\\s*'(?:${rows.join('|')})'`);
    const throwers = shipped.filter((path) => path !== file && throws.test(read(path)));
    const importsIt = (path: string): boolean =>
      [...read(path).matchAll(/^import '([.#][^']+)';$/gm)].some(([, target]) =>
        target!.startsWith('#')
          ? `src/${target!.slice(1)}` === file
          : relative(root, resolve(root, dirname(path), target!)).replaceAll('\\', '/') === file,
      );
    expect(rows.length).toBeGreaterThan(0);
    expect(throwers.filter((path) => !importsIt(path))).toEqual([]);
    expect(importsIt('src/admin/all-errors.ts')).toBe(true);
  });
});

describe('store', () => {
  test('the schema version is that of the last migration, without gaps', () => {
    expect(migrations.map((migration) => migration.version)).toEqual(Array.from({ length: schemaVersion }, (_, i) => i + 1));
  });

  test('a released migration is never edited', () => {
    expect(migrations.slice(0, released.length).map((migration) => computeChecksum(migration))).toEqual(released);
  });
});

/** One checksum per released migration. Never change a line. */
const released = [
  'a03a75cc7492ee4ea7389b253c35f164f0d9f0b19ee06927afb14883bb7f9d03',
  '0acf90e5c848e23e4616107b762d9550d3bbeb0150558520f86a3dca64082b79',
  'e0eb7ad6b8c266f56504532078e92901da88cafc0b45d0db2270b0347d67238f',
  '2c031c6eab7a9aa32b54cd86f77015b2b4af17e670f330bce0ac6ca69a37b50a',
  '0abe13ea870b59a93584a24e7ccde17ba0c2979f1f0a80ed3f7adf9a96fe2419',
  'ffb69947c270c33fb0f29cc0bafb09340b18659412f3ceef2d05f5ffe8be20ad',
];

describe('docs', () => {
  const pages = files('.', /\.md$/);

  test.each(pages)('the links of %s resolve', (page) => {
    const broken = [
      ...read(page)
        .replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map((found) => found[1]!)
      .filter((link) => !/^(https?:|mailto:)/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURI(path));
        if (!existsSync(target)) return true;
        return anchor !== undefined && target.endsWith('.md') && !anchors(readFileSync(target, 'utf8')).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  function anchors(text: string): string[] {
    const seen = new Map<string, number>();
    return [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#{1,6} (.+)$/gm)].map((found) => {
      const slug = found[1]!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-');
      const n = seen.get(slug) ?? 0;
      seen.set(slug, n + 1);
      return n === 0 ? slug : `${slug}-${n}`;
    });
  }
});
