import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agents } from '../src/admin/rules/agents.generated.ts';
import { clients } from '../src/admin/rules/setup-clients.ts';
import { describeParams, globalFlags, toFlag } from '../src/core/command-line.ts';
import { registry } from '../src/core/index.generated.ts';
import { estimateTokens } from '../src/lib/tokens.ts';
import { type FrontMatter, parseFrontMatter } from '../src/lib/yaml/front-matter.ts';
import { bundledCatalogue, bundledSkills } from '../src/platform/skills.generated.ts';
import { openApp, type TestApp } from './app.ts';
import { spawnAndComplete } from './completed-spawn.ts';
import { createRepository } from './repository.ts';

const texts: Record<string, string> = {
  ...Object.fromEntries(bundledSkills.map(({ name, text }) => [name, text])),
  ...Object.fromEntries(Object.entries(agents).map(([name, { text }]) => [name, text])),
};

/** Texts in backticks. */
const findQuoted = (text: string): string[] =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, words]) => words!.trim());
const commands = [
  ...new Set(
    Object.values(texts)
      .flatMap(findQuoted)
      .filter((words) => /^(cleo|ct) /.test(words)),
  ),
];

/** Replaces the placeholders as a spawn does. */
const fillPlaceholders = (text: string, sha: string): string =>
  text
    .replaceAll('{{TASK_ID}}', 'T002')
    .replaceAll('{{EPIC_ID}}', 'T001')
    .replaceAll('{{OUTPUT_DIR}}', '.cleo/research/T002')
    .replaceAll('{{TOPIC_SLUG}}', 'uploads')
    .replaceAll('SHA', sha);

/** Situations in which the commands are used: before, during and after the work, and when another agent has done it. */
const tasks = ['T001 epic', 'T002 in T001 accept one', 'T003 in T001', 'T004 in T001 done'];
const documents = ['doc uploads T002 note: Uploads', 'doc upload-spec T002 spec: What holds', 'doc adr-d-001 T002 adr: Uploads go on'];
const decided = ['memory decision accepted about T002: Uploads go on', 'memory decision: Uploads start over'];
const proposed = ['memory decision: Uploads go on', 'memory decision: Uploads start over'];
const worlds: { tasks: string[]; prepare?: (app: TestApp) => Promise<void> }[] = [
  { tasks: [...tasks, ...documents, ...decided] },
  {
    tasks: [
      'T001 epic',
      'T002 in T001 active by tester@session-1 accept one',
      ...tasks.slice(2),
      'session session-1 epic:T001 by tester: Uploads',
      'nexus web T001',
      ...proposed,
    ],
  },
  { tasks: ['T001 epic', 'T002 in T001 active by tester', ...tasks.slice(2)] },
  { tasks: ['T001 epic', 'T002 in T001 done', 'T003 in T001 done', 'T004 in T001 done'] },
  { tasks: ['T001 epic', 'T002 in T001 blocked', 'T003 in T001', 'T004 in T001 done'] },
  { tasks: [...tasks, 'gate T002 implemented by ada'] },
  { tasks: [...tasks, 'gate T002 implemented by ada', 'gate T002 testsPassed by ada'] },
  { tasks: ['T001 epic', 'T002 in T001'], prepare: spawnAndComplete },
  { tasks: ['T001 saga', 'T002 in T001', 'T003 in T002'] },
  { tasks, prepare: async ({ call }) => void (await call('release.create', { version: 'v1.0.0' })) },
];

/** The exit codes 100 to 102 and those of the context window (50 to 54) are not errors. */
const isAnswer = (exit: number): boolean => exit === 0 || (exit >= 100 && exit <= 102) || (exit >= 50 && exit <= 54);

const page = '# Uploads\n\n**Task**: T002\n';
const model = mkdtempSync(join(tmpdir(), 'cleo-skills-'));
afterAll(() => rmSync(model, { recursive: true, force: true }));
let sha = '';

/** Writes the files that the texts mention into a repository and commits them. Created once and copied for each project. */
function writeFiles({ root }: TestApp): string {
  sha ||= commitAll(model);
  cpSync(model, root, { recursive: true });
  mkdirSync(join(root, '.cleo/research/T002'), { recursive: true });
  writeFileSync(join(root, '.cleo/research/T002/uploads.md'), page);
  return sha;
}

function commitAll(root: string): string {
  return createRepository(root).commit({
    '.gitignore': 'home\n.cleo\n',
    'docs/spec/upload.md': page,
    'docs/upload.md': page,
    'docs/adr/0012-uploads.md': page,
    'test/upload.bats': '',
    'src/upload.ts': 'export {};\n',
    'package.json': '{"version": "0.1.0"}\n',
    'plan.json': fillPlaceholders(plan, ''),
    'graph.json': JSON.stringify(graph),
  });
}

/** The files that the epic architect is shown as examples. */
const plan = /```json\n([\s\S]*?)```/.exec(texts['ct-epic-architect']!)![1]!;
const graph = {
  version: 1,
  create: [{ ref: 'a', type: 'task', title: 'Store the offset', parent: 'T001', description: 'So that it can resume' }],
};

test('finds commands to run', () => {
  expect(commands.length).toBeGreaterThan(70);
});

test.each(commands)('%s', async (command) => {
  const refusals: string[] = [];
  for (const { tasks, prepare } of worlds) {
    const app = await openApp({
      tasks,
      engine: 'sqlite',
      config: {
        verification: { tools: { test: 'node --version' } },
        lifecycleEnforcement: { mode: 'off' },
      },
    });
    const sha = writeFiles(app);
    await prepare?.(app);
    const line = fillPlaceholders(command, sha).replace(/--file (plan|graph)\.json/, `--file ${app.root}/$1.json`);
    const { exitCode, envelope } = await app.cli(line);
    if (isAnswer(exitCode)) return;
    refusals.push(`${exitCode} ${envelope.error?.message}`);
  }
  expect([...new Set(refusals)].join('\n')).toBe('fine');
});

describe('every text', () => {
  const source = (name: string): string => readFileSync(resolve(import.meta.dirname, '..', 'skills', name, 'SKILL.md'), 'utf8');

  test.each(bundledSkills.map((skill) => [skill.name, skill] as const))('%s follows the skill convention and our rules', (name, skill) => {
    const { version, category, lastReviewed, stability, tags, text } = skill;
    expect({ version, category, lastReviewed, stability }).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      category: expect.any(String),
      lastReviewed: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      stability: 'stable',
    });
    expect(tags.length).toBeGreaterThan(0);
    // The convention allows only texts under metadata.
    const { fields } = parseFrontMatter(source(name)) as FrontMatter;
    for (const value of Object.values(fields.metadata as object)) expect(value).toBeTypeOf('string');
    expect(estimateTokens(text)).toBeLessThan(1800);
    expect(text).toMatch(/^# \S/);
  });

  test('a tag belongs to one skill, and the order contains every skill', () => {
    const tags = bundledSkills.flatMap((skill) => skill.tags);
    expect(tags.filter((tag, i) => tags.indexOf(tag) !== i)).toEqual([]);
    expect([...bundledCatalogue.order].sort()).toEqual(bundledSkills.map(({ name }) => name));
    expect(bundledCatalogue.rows.filter(({ skill }) => !bundledSkills.some(({ name }) => name === skill))).toEqual([]);
  });

  test('names only existing skills, flags and operations', async () => {
    const all = Object.values(texts).join('\n');
    const named = [...new Set([...all.matchAll(/\bct-[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name))];
    expect(named.filter((name) => !bundledSkills.some((skill) => skill.name === name))).toEqual([]);
    const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
    const flags = new Set([
      ...globalFlags.flatMap((flag) => flag.flags),
      ...operations.flatMap(({ params }) => describeParams(params).map(({ name }) => toFlag(name))),
    ]);
    const spoken = Object.values(texts).flatMap(findQuoted);
    expect(spoken.filter((words) => words.startsWith('--')).filter((words) => !flags.has(words.split(' ')[0]!))).toEqual([]);
  });

  test('contains all orchestrator rules and asks for no time estimates', () => {
    for (let n = 1; n <= 9; n += 1) expect(texts['ct-orchestrator']).toContain(`| ORC-00${n} |`);
    expect(texts['ct-epic-architect']).toMatch(/No hours, no days, no dates/);
  });
});

test.each(
  clients
    .flatMap(({ parts: pieces }) => pieces.filter(({ content }) => content !== undefined))
    .map((piece) => [piece.file, piece.content!]),
)('%s is a valid agent file', (file, text) => {
  const { fields, body } = parseFrontMatter(text) as FrontMatter;
  const name = /cleo-\w+/.exec(file)![0];
  expect(fields).toMatchObject({ description: expect.stringMatching(/\S/), ...(file.startsWith('.opencode') ? {} : { name }) });
  expect(body).toBe(agents[name as keyof typeof agents].body);
  expect(estimateTokens(body)).toBeLessThan(800);
});
