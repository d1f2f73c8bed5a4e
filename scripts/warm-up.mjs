// Runs everyday commands in a project of their own: the build for Node fills the code cache with them, the native build records what it loads.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The first word of the server that agents start once per session and wait for. */
export const serverWord = 'mcp';

/** Commands that are run in this order. For Node, each first word has one cache for all its lines. A function that none of them calls is
 *  compiled at every start that calls it, which takes 0.03 ms, so the tasks have every kind of field. */
const commands = [
  'init',
  'add Write --type epic',
  'add Draft --parent T001 --labels docs,core --files a.ts --acceptance Works|Fits --notes Begun',
  'add Test --parent T001 --depends T002 --labels docs --files b.ts --acceptance Passes',
  'add Check',
  'show T001',
  'show T002',
  'show T003',
  'find Write',
  'find Wirte',
  'memory observe Write',
  'memory find Write',
  'memory find Wirte',
  'exists T001',
  'next',
  'next T001',
  'list',
  'start T002',
  'show T002 T003',
  'next --count 5',
  'update T002 --notes begun',
  'complete T002',
  'add-batch --file batch.json',
  'skill run yes',
  serverWord,
];

/** So many tasks that the log of the database is emptied. */
const batch = Array.from({ length: 1000 }, (_, i) => {
  const isEpic = i % 8 === 0;
  const task = { ref: `part-${i}`, title: `Part ${i}`, description: `Write part ${i} of the batch`.repeat(5) };
  return isEpic
    ? { ...task, type: 'epic' }
    : { ...task, parent: `part-${i - (i % 8)}`, ...(i % 8 > 1 ? { depends: [`part-${i - 1}`] } : {}) };
});

/** Commands whose reads are logged. For Node, they have caches of their own. */
const gradedCommands = ['show T003', 'find Write', 'exists T001', 'next', 'list'];

/** First words of the commands that hooks, status lines and agents run most often. Without `--limit`, each of them does a limited amount of
 *  work, no matter how many tasks there are. */
export const everydayWords = ['show', 'find', 'exists', 'next', 'add', 'current', 'ready', 'context', 'whoami', 'version'];

/** An MCP client that tries the newest revision, falls back to the previous one, and reads a task. */
const clientInfo = { name: 'build', version: '0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const conversation = [
  { id: 1, method: 'server/discover', params: { _meta: envelope } },
  { id: 2, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 3, method: 'tools/list' },
  {
    id: 4,
    method: 'tools/call',
    params: { name: 'cleo_query', arguments: { domain: 'tasks', operation: 'show', params: { taskId: 'T001' } } },
  },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** Runs the everyday commands with `program`, a list of words. `getEnv` returns further variables of a command. */
export async function warmUp(program, getEnv, { isGraded = false } = {}) {
  const project = mkdtempSync(join(tmpdir(), 'cleo-build-'));
  const env = { PATH: process.env.PATH, HOME: project, CLEO_HOME: join(project, 'home') };
  // A skill that does nothing.
  mkdirSync(join(project, 'skills', 'yes'), { recursive: true });
  writeFileSync(join(project, 'skills', 'yes', 'run'), '#!/bin/sh\n', { mode: 0o755 });
  const [file, ...words] = program;
  writeFileSync(join(project, 'batch.json'), JSON.stringify(batch));
  const printTrustDigest = () => execFileSync(file, [...words, 'trust', '--print'], { cwd: project, env, encoding: 'utf8' }).trim();
  const run = async (command, more = {}) => {
    const child = spawn(file, [...words, ...command.split(' ')], {
      cwd: project,
      env: { ...env, ...getEnv(command), ...more },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.stdin.on('error', () => {}).end(command === serverWord ? conversation : '');
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`cleo ${command} exited with ${code}`);
  };
  try {
    // The digest stands for the person who trusts the skill.
    for (const command of commands) await run(command, command.startsWith('skill') ? { CLEO_TRUST: printTrustDigest() } : {});
    if (isGraded) for (const command of gradedCommands) await run(command, { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'build' });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
