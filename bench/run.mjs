// `npm run bench`: measures every figure that has a limit. Times are ratios to `node -e 0` of the same run.
//   --quick       few rounds, no 100,000 tasks, no install     --rounds N
//   --strict      exit with 1 if a limit is exceeded           --json     print JSON instead of a table
//   --dist DIR    measure an existing build instead of building
//   --native      measure starts and memory of the native build, with limits of its own
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { executableName } from '../scripts/find-bun.mjs';
import { measureGrade } from './grade.mjs';
import { measureHttp } from './http.mjs';
import { measureImport } from './import.mjs';
import { measureInstall } from './install.mjs';
import { measureMcp } from './mcp.mjs';
import { measureMedians, measurePeakMemory } from './measure.mjs';
import { measureSkills } from './skills.mjs';
import { openMemory, openProjects } from './stores.mjs';
import { measureSync } from './sync.mjs';
import { measureWaves } from './waves.mjs';
import { measureWork } from './work.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    strict: { type: 'boolean' },
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    dist: { type: 'string' },
    native: { type: 'boolean' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 3 : 25));
if (!options.dist) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', options.native ? 'native.mjs' : 'build.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
const cleo = options.native
  ? join(resolve(root, options.dist ?? 'dist-native'), executableName)
  : join(resolve(root, options.dist ?? 'dist'), 'cleo.js');
/** Limits of a start, as ratios to `node -e 0`. */
const limits = options.native
  ? { show: 0.45, find: 0.45, exists: 0.45, next: 0.5, add: 0.65, mcp: 1.2, megabytes: 40 }
  : { show: 1.3, find: 1.3, exists: 1.3, next: 1.4, add: 1.5, mcp: 4, megabytes: 60 };

const open = 2000;
/** All tasks of this project are open. */
const manyOpen = options.quick ? 10_000 : 100_000;
const sizes = options.quick ? { '10,000': 10_000 } : { '10,000': 10_000, '100,000': 100_000 };
const { folder, projects, remove } = await openProjects({
  '1,000': [1000, 1000],
  graded: [1000, 1000],
  'add at 1,000': [1000, 1000],
  batch: [1000, 1000],
  'all open': [manyOpen, manyOpen],
  'claim at 1,000': [1000, 1000],
  'claim at all open': [manyOpen, manyOpen],
  mcp: [1000, 1000],
  http: [1000, 1000],
  ...Object.fromEntries(
    Object.entries(sizes).flatMap(([name, count]) => [
      [name, [count, open]],
      [`add at ${name}`, [count, open]],
    ]),
  ),
});

const memoryCount = options.quick ? 10_000 : 100_000;
projects.memory = await openMemory(memoryCount);
const memoryQueries = { 'a rare word': 'quokka', 'a typo': 'qoukka', 'a frequent word': 'bacordel' };

const batch = join(folder, 'batch.json');
writeFileSync(batch, JSON.stringify(createBatch(1000)));
const grade = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'bench' };
const reads = { show: ['show', 'T500'], find: ['find', 'quokka'], exists: ['exists', 'T500'], next: ['next'] };

// What is read or claimed next must not depend on how many tasks are open.
const openReads = {
  next: ['next'],
  'next in an epic': ['next', 'T009'],
  ...Object.fromEntries(['updated', 'priority', 'status'].map((sort) => [`list --sort ${sort}`, ['list', '--sort', sort]])),
};

const toCase = (name, args, project, env = {}) => ({
  name,
  argv: [cleo, ...args],
  cwd: projects[project],
  env: { CLEO_HOME: join(folder, 'home'), ...env },
});
const all = ['1,000', ...Object.keys(sizes)];
const reading = [
  ...all.flatMap((size) => Object.entries(reads).map(([name, args]) => toCase(`${name} at ${size}`, args, size))),
  ...['1,000', 'all open'].flatMap((size) =>
    Object.entries(openReads).map(([name, args]) => toCase(`open: ${name} at ${size}`, args, size)),
  ),
  ...Object.entries(memoryQueries).map(([name, word]) => toCase(`memory find, ${name}`, ['memory', 'find', word], 'memory')),
];
// Grade mode logs reads, so they are writes.
const writing = [
  ...all.map((size) => toCase(`add at ${size}`, ['add', 'Write one more parser'], `add at ${size}`)),
  ...['1,000', 'all open'].map((size) => toCase(`claim-next at ${size}`, ['next', '--claim'], `claim at ${size}`)),
  ...Object.entries(reads).map(([name, args]) => toCase(`${name} graded`, args, 'graded', grade)),
  toCase('add-batch', ['add-batch', '--file', batch], 'batch'),
];

const rows = [];
const row = (what, figure, limit, unit = '×') =>
  rows.push({ what, figure, limit, unit, isWithin: typeof figure === 'number' && figure <= limit });
try {
  // Reads and writes are measured apart, so that reads do not wait for the disk to finish earlier writes.
  const groups = [measureMedians(reading, rounds), measureMedians(writing, rounds)];
  const ratio = (name, to) => {
    const ms = groups.find((group) => group.has(name));
    return typeof ms.get(name) === 'string' ? ms.get(name) : ms.get(name) / ms.get(to);
  };
  for (const name of [...Object.keys(reads), 'add']) row(`cold ${name} at 1,000 tasks`, ratio(`${name} at 1,000`, 'node'), limits[name]);
  if (!options.native) for (const name of Object.keys(reads)) row(`cold ${name} in grade mode`, ratio(`${name} graded`, 'node'), 1.6);
  for (const size of Object.keys(sizes))
    for (const name of [...Object.keys(reads), 'add'])
      row(
        `${name} at ${size} against 1,000${name === 'next' ? ', 2,000 open' : ''}`,
        ratio(`${name} at ${size}`, `${name} at 1,000`),
        name === 'next' ? 1.5 : 1.15,
      );
  const toOpenRow = (name, of) =>
    row(`${name} with ${manyOpen.toLocaleString('en')} open tasks against 1,000`, ratio(`${of} at all open`, `${of} at 1,000`), 1.5);
  for (const name of Object.keys(openReads)) toOpenRow(name, `open: ${name}`);
  toOpenRow('claim-next', 'claim-next');
  for (const name of Object.keys(memoryQueries))
    row(`cold memory find at ${memoryCount.toLocaleString('en')} entries, ${name}`, ratio(`memory find, ${name}`, 'node'), 1.5);
  row('add-batch of 1,000 with descriptions, parents and depends, against one add', ratio('add-batch', 'add at 1,000'), 5);
  const mcp = await measureMcp({ cleo, cwd: projects.mcp, env: { CLEO_HOME: join(folder, 'home') } }, rounds);
  for (const [name, figure] of Object.entries(mcp.starts)) row(`MCP start to the answer of ${name}`, figure, limits.mcp);
  row('MCP tools/list', mcp.listBytes, 2500, 'bytes');
  row('MCP first admin.help', mcp.helpBytes, 3500, 'bytes');
  row('14 everyday operations learnt over MCP', mcp.learntBytes, 5000, 'bytes');
  row("an agent's standard day over MCP", mcp.dayBytes, 4500, 'bytes');
  row('warm MCP tasks.show', mcp.showMs, 1, 'ms');
  if (!options.native) await measureLongWork();
  const memory = [];
  for (const one of [...reading, ...writing]) memory.push({ name: one.name, peak: await measurePeakMemory(one) });
  const failed = memory.find(({ peak }) => typeof peak === 'string');
  const { name, peak } = failed ?? memory.toSorted((a, b) => b.peak - a.peak)[0];
  row(`peak memory of a call (${name})`, peak, limits.megabytes, 'MB');
  if (!options.quick && !options.native) {
    const { packages, megabytes, first } = measureInstall();
    row('production install', megabytes, 40, 'MB');
    row('packages besides cleo', packages.length, 8, '');
    row('empty .cleo', first.kilobytes, 640, 'KB');
    row('commands to the first task', first.commands, 2, '');
  }
  if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else print(rows, groups[0].get('node'));
} finally {
  remove();
}
if (options.strict && rows.some(({ isWithin }) => !isWithin)) process.exitCode = 1;

/** Measures work that takes longer than a start. */
async function measureLongWork() {
  for (const figures of await measureGrade(cleo, options.quick)) row(...figures);
  for (const figures of await measureWaves(cleo, rounds)) row(...figures);
  for (const figures of await measureSync(cleo, rounds)) row(...figures);
  for (const figures of await measureSkills(cleo, rounds)) row(...figures);
  for (const figures of await measureWork(cleo, Math.min(rounds, 7))) row(...figures);
  for (const figures of measureImport(cleo, options.quick)) row(...figures);
  const http = await measureHttp({ cleo, cwd: projects.http, folder }, rounds);
  row('warm HTTP tasks.show', http.showMs, 1, 'ms');
  row('a call of 64 HTTP clients, a quarter of them writes', http.callMs, 4, 'ms');
  row('failed calls of 64 HTTP clients', http.failed, 0, '');
}

/** Epics with seven tasks each. All have descriptions; most tasks depend on the one before, and the first of an epic on two earlier epics'
 *  tasks and on an epic. */
function createBatch(count) {
  const words = 'the parser reads one token after another and reports the first error with its line and column'.split(' ');
  const describe = (i) => `${Array.from({ length: 25 }, (_, word) => words[(i * 7 + word * 3) % words.length]).join(' ')} ${i}.`;
  return Array.from({ length: count }, (_, i) => {
    const place = i % 8;
    const depends = place > 1 ? [`part-${i - 1}`] : place === 1 && i > 16 ? [`part-${i - 9}`, `part-${i - 13}`] : [];
    return {
      ref: `part-${i}`,
      title: `Part ${i} of the batch`,
      description: describe(i),
      ...(place === 0 ? { type: 'epic' } : { parent: `part-${i - place}` }),
      ...(depends.length > 0 ? { depends } : {}),
    };
  });
}

function print(all, startMs) {
  const format = (value, unit) => (typeof value === 'string' ? value : `${Number(value.toFixed(2))} ${unit}`.trim());
  const lines = [
    ['what', 'figure', 'limit', ''],
    ...all.map(({ what, figure, limit, unit, isWithin }) => [
      what,
      format(figure, unit),
      `≤ ${format(limit, unit)}`,
      isWithin ? 'ok' : 'MISS',
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column].length)));
  for (const [what, figure, limit, verdict] of lines)
    process.stdout.write(`${what.padEnd(widths[0])}  ${figure.padStart(widths[1])}  ${limit.padEnd(widths[2])}  ${verdict}\n`);
  process.stdout.write(
    `\nMedians of ${rounds} interleaved rounds; node -e 0 takes ${startMs.toFixed(1)} ms here (Node ${process.versions.node}).\n`,
  );
}
