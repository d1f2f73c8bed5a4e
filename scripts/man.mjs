// Writes the manual pages from the definitions of the operations: man/cleo.1, and a page for each namespace.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeIndex } from './index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'man'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const variables = [
  ['CLEO_ROOT', 'The project folder. By default the nearest folder with .cleo, from the working folder upwards.'],
  ['CLEO_HOME', 'The folder of the user. By default ~/.cleo.'],
  ['CLEO_AGENT_ID, CLEO_SESSION_ID', 'The agent that calls, and its session.'],
  ['CLEO_TOKEN', 'The token of the caller.'],
  ['CLEO_DATABASE_URL', 'The address of a PostgreSQL store.'],
  ['CLEO_FORMAT', 'json prints JSON, also on a terminal.'],
  ['NO_COLOR, FORCE_COLOR', 'Without colours; with colours, also without a terminal.'],
  ['PAGER', 'The program that shows long text on a terminal. Empty: none.'],
  ['VISUAL, EDITOR', 'The program that edits text.'],
];

const { operations, modules } = await loadDefinitions();
const { describeArguments, describeFlags, formatUsage, formatCommand, describedGlobalFlags, exitCodes, processes, groupByPurpose } =
  modules;
const pages = new Map([['cleo.1', formatMainPage()]]);
for (const namespace of [...new Set(operations.map(getNamespace))]) pages.set(`cleo-${namespace}.1`, formatPage(namespace));

mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (name.endsWith('.1') && !pages.has(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);

/** Bundles the definitions and the functions that describe them. */
async function loadDefinitions() {
  const { files } = await writeIndex();
  const bundle = join(root, 'node_modules', `.cache-cleo-man-${process.pid}.mjs`);
  const shared = ['core/usage.ts', 'core/command-line.ts', 'core/global-flag-meanings.ts', 'core/errors/exit-codes.ts', 'core/purposes.ts'];
  try {
    await build({
      stdin: {
        contents: [
          ...files.map((path, i) => `export * as m${i} from './${path}';`),
          ...shared.map((path) => `export * from './src/${path}';`),
          `export { processes } from './src/admin/operations/shared/processes.ts';`,
        ].join('\n'),
        resolveDir: root,
        loader: 'ts',
      },
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external', outfile: bundle, logLevel: 'error' },
    });
    const loaded = await import(pathToFileURL(bundle).href);
    const found = files.flatMap((_, i) =>
      Object.values(loaded[`m${i}`]).filter((value) => value && typeof value === 'object' && 'run' in value && 'params' in value),
    );
    return { operations: found.sort((a, b) => (a.name < b.name ? -1 : 1)), modules: loaded };
  } finally {
    rmSync(bundle, { force: true });
  }
}

function formatMainPage() {
  return joinPage('CLEO', [
    ...section('NAME', ['cleo \\- task protocol for AI coding agents']),
    ...section('SYNOPSIS', ['.B cleo', '.I command', '[arguments] [options]']),
    ...section('DESCRIPTION', [
      'Plans, claims, verifies and hands over the work of coding agents. The plan is in the folder .cleo of a project. On a terminal the',
      'output is text; in a pipe, or with \\-\\-json, it is one line of JSON.',
      'The commands of each group have a manual page of their own, for example',
      '.BR cleo\\-tasks (1).',
    ]),
    ...groupByPurpose(operations).flatMap(([title, members]) => [
      ...section(title.toUpperCase(), []),
      ...members.flatMap((operation) => entry(formatUsage(operation), operation.summary)),
    ]),
    ...section('SERVE AND WATCH', []),
    ...processes.flatMap((process) => entry(formatUsage(process), process.summary)),
    ...section('GLOBAL OPTIONS', []),
    ...describedGlobalFlags.flatMap(({ flags, value, about }) => entry(`${flags.join(', ')}${value ? ` ${value}` : ''}`, about)),
    ...section('ENVIRONMENT', []),
    ...variables.flatMap(([name, about]) => entry(name, about)),
    ...section('EXIT STATUS', []),
    ...exitCodes.flatMap(({ code, constant, recovery }) => entry(`${code} ${constant}`, recovery)),
    ...section('SEE ALSO', [[...new Set(operations.map(getNamespace))].map((each) => `cleo\\-${each}(1)`).join(', ')]),
  ]);
}

function formatPage(namespace) {
  const members = operations.filter((operation) => getNamespace(operation) === namespace);
  return joinPage(`CLEO-${namespace.toUpperCase()}`, [
    ...section('NAME', [`cleo\\-${namespace} \\- commands to ${groupByPurpose(members)[0][0].toLowerCase()}`]),
    ...section('COMMANDS', []),
    ...members.flatMap((operation) => [
      `.SS ${escapeText(formatUsage(operation))}`,
      `${escapeText(operation.summary)}.`,
      ...describeArguments(operation).flatMap((shape) => entry(`<${shape.name}>`, describe(shape))),
      ...describeFlags(operation).flatMap(({ flags, value, shape }) =>
        entry(`${flags.join(', ')}${value ? ` ${value}` : ''}`, describe(shape)),
      ),
      '.PP',
      'Example:',
      '.nf',
      escapeText(formatCommand(operation, operation.example.call)),
      '.fi',
    ]),
    ...section('SEE ALSO', ['.BR cleo (1)']),
  ]);
}

function getNamespace({ name }) {
  return name.slice(0, name.indexOf('.'));
}

function describe({ about, isRequired, choices, default: fallback }) {
  const facts = [
    isRequired ? 'required' : '',
    choices ? `one of ${choices.join(', ')}` : '',
    fallback === undefined || /\bdefault\b/.test(about) ? '' : `default ${fallback}`,
  ];
  const known = facts.filter((fact) => fact !== '').join('; ');
  return `${about}${known ? ` (${known})` : ''}`;
}

function joinPage(title, lines) {
  return `.\\" Generated from the definitions by scripts/man.mjs.\n.TH ${title} 1 "" "cleo ${version}" "CLEO manual"\n${lines.join('\n')}\n`;
}

function section(title, lines) {
  return [`.SH ${title}`, ...lines];
}

function entry(name, about) {
  return ['.TP', `.B ${escapeText(name)}`, escapeText(about) || '\\&'];
}

/** Escapes what troff would read as a request, an escape sequence or a typographic character. */
function escapeText(text) {
  const plain = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('…', '...');
  return plain.replace(/\s*\n\s*/g, ' ').replace(/^\./, '\\&.');
}
