import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentText, formatHookCommand } from '../src/admin/rules/setup-clients.ts';
import { describeParams, globalFlags, toFlag } from '../src/core/command-line.ts';
import { registry } from '../src/core/index.generated.ts';
import { protocolText } from '../src/orchestration/protocol.generated.ts';
import { renderProtocol } from '../src/research/rules/protocol-text.ts';
import { openApp, type TestApp } from './app.ts';
import { spawnAndComplete } from './completed-spawn.ts';
import { createRepository } from './repository.ts';

const text = `${renderProtocol(protocolText, 'orchestrator', registry.entries)}\n${agentText}\n\`${formatHookCommand('claude').split(' 2>')[0]}\``;

/** Texts in backticks and lines of command blocks. */
const spoken = [
  ...[...text.matchAll(/```bash\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n')),
  ...[...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, words]) => words!),
].map((words) => words.replace(/\s+# .*$/, '').trim());
const unique = (words: string[]): string[] => [...new Set(words)];
const commands = unique(spoken.filter((words) => words.startsWith('cleo ')));
const calls = unique(spoken.filter((words) => /^(query|mutate) /.test(words)));

/** Situations in which the commands are used: at work, before a session, with everything done, with the session suspended or a task
 *  blocked, with a spawned task, with a task that waits for a verdict. */
const tasks = ['T001 epic', 'T002 in T001 accept one', 'T003 in T001', 'T004 in T001 done'];
const known = ['memory decision: Tokens are structs', 'memory decision: Tokens are numbers', 'doc parsers T002 research: Parsers'];
const planned = ['research', 'consensus', 'specification', 'decomposition'].map((stage) => `stage T001 ${stage} completed`);
const worlds: { tasks: string[]; prepare?: (app: TestApp) => Promise<void> }[] = [
  { tasks: [...tasks, ...known] },
  {
    tasks: [
      'T001 epic',
      'T002 in T001 active by tester@session-1 accept one',
      ...tasks.slice(2),
      'session session-1 epic:T001 by tester: Parser',
      'nexus web T001',
    ],
  },
  { tasks: ['T001 epic', 'T002 in T001 active by tester', ...tasks.slice(2)] },
  { tasks: ['T001 epic', 'T002 in T001 done', 'T003 in T001 done', 'T004 in T001 done'] },
  {
    tasks: [
      'T001 epic',
      'T002 in T001 blocked',
      'T003 in T001 blocked',
      'T004 in T001 done',
      'session session-1 epic:T001 suspended by tester: Parser',
    ],
  },
  { tasks: [...tasks, ...planned] },
  { tasks: ['T001 epic', 'T002 in T001', ...planned], prepare: spawnAndComplete },
  { tasks: [...tasks, ...planned, 'gate T002 implemented by ada', 'gate T002 testsPassed by ada'] },
  { tasks, prepare: prepareRelease },
];

/** The exit codes 100 to 102 and those of the context window (50 to 54) are not errors. */
const isAnswer = (exit: number): boolean => exit === 0 || (exit >= 100 && exit <= 102) || (exit >= 50 && exit <= 54);

/** Returns a file to replace standard input. */
const getInputFile = (command: string): string => (command.includes('workgraph') ? 'plan.json' : 'batch.json');

/** Writes the files that the text mentions. */
function writeFiles({ root }: TestApp): void {
  const at = '2026-01-01T00:00:00.000Z';
  const moved = { id: 'T090', type: 'epic', title: 'Moved', status: 'pending', priority: 'medium', createdAt: at, createdBy: 'x' };
  const files = {
    'batch.json': JSON.stringify([{ title: 'One', parent: 'T001', description: 'First' }]),
    'plan.json': JSON.stringify({ version: 1, create: [{ title: 'One', parent: 'T001', description: 'First' }] }),
    'tasks.jsonl': JSON.stringify({ ...moved, updatedAt: at, revision: 1 }),
    'src/upload.ts': 'export {};\n',
    'docs/parsers.md': '# Parsers\n\n**Task**: T002\n',
    'docs/spec.md': '# What holds\n',
    'todo.txt': '(A) Write the grammar id:1\n',
  };
  for (const folder of ['src', 'docs']) mkdirSync(join(root, folder));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
}

/** Prepares a release in a repository with a remote. */
async function prepareRelease({ call, root }: TestApp): Promise<void> {
  await call('release.create', { version: 'v1.0.0' });
  const { git, commit } = createRepository(root);
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  commit({ '.gitignore': '*\n!.gitignore\n!package.json\n!CHANGELOG.md\n', 'package.json': '{"version": "0.1.0"}\n' });
  git('init', '--quiet', '--bare', 'remote');
  git('remote', 'add', 'origin', join(root, 'remote'));
}

async function runInSituations(run: (app: TestApp) => Promise<{ exitCode: number; output: string }>): Promise<string> {
  const refusals: string[] = [];
  for (const { tasks, prepare } of worlds) {
    const app = await openApp({ tasks, engine: 'sqlite' });
    writeFiles(app);
    await prepare?.(app);
    const { exitCode, output } = await run(app);
    if (isAnswer(exitCode)) return 'fine';
    refusals.push(`${exitCode} ${output}`);
  }
  return unique(refusals).join('\n');
}

test('finds commands to run', () => {
  expect(commands.length).toBeGreaterThan(80);
  expect(calls.length).toBeGreaterThan(2);
});

test.each(commands)('%s', async (command) => {
  const outcome = await runInSituations(async ({ cli }) => {
    const { exitCode, out } = await cli(command.replaceAll('SESSION', 'session-1').replace('--file -', `--file ${getInputFile(command)}`));
    return { exitCode, output: out };
  });
  expect(outcome).toBe('fine');
});

test.each(calls)('%s', async (call) => {
  const [, asked, operation, params] = /^(query|mutate) (\S+)(?: (\{.*\}))?$/.exec(call) ?? [];
  const outcome = await runInSituations(async ({ reply }) => {
    const { exitCode, envelope } = await reply(operation!, JSON.parse(params ?? '{}'), { kind: asked as 'query' });
    return { exitCode, output: JSON.stringify(envelope) };
  });
  expect(outcome).toBe('fine');
});

describe('other names in the protocol', () => {
  test('every flag exists', async () => {
    const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
    const flags = new Set([
      ...globalFlags.flatMap((flag) => flag.flags),
      ...operations.flatMap(({ params }) => describeParams(params).map(({ name }) => toFlag(name))),
    ]);
    expect(spoken.filter((words) => words.startsWith('--')).filter((words) => !flags.has(words.split(' ')[0]!))).toEqual([]);
  });

  test('every listed operation exists', () => {
    const names = new Set(registry.entries.map(({ name }) => name));
    const listed = [...text.matchAll(/^(?:Reads|Writes): (.*)\.$/gm)].flatMap(([, line]) =>
      line!.split(', ').flatMap((group) => {
        const [, domain, many] = /^(\w+)\.\((.*)\)$/.exec(group) ?? [];
        return many ? many.split(' ').map((name) => `${domain}.${name}`) : [group];
      }),
    );
    // Signatures, proofs, tokens and trust are for people.
    const forAgents = [...names].filter((name) => !/^admin\.(audit|proof|token|trust)\b/.test(name));
    expect(listed.filter((name) => name !== 'none further').sort()).toEqual(forAgents.sort());
    expect(unique(spoken.filter((words) => /^(?!error\.)[a-z]+\.[a-z.-]+$/.test(words))).filter((name) => !names.has(name))).toEqual([]);
  });

  test('asks for no time estimates, and every rule has an id', () => {
    expect(text).toMatch(/No estimates of time/);
    for (let n = 1; n <= 9; n += 1) expect(text).toContain(`| ORC-00${n} |`);
    for (let n = 1; n <= 7; n += 1) expect(text).toContain(`| BASE-00${n} |`);
  });
});
