import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createCli, openApp, type TestApp } from '../app.ts';

/** Creates the command line of a subagent with the environment returned by the spawn. */
function createSubagent({ root, env }: TestApp, own: Record<string, string>): TestApp['cli'] {
  const { CLEO_AGENT_ID: _, ...shared } = env;
  const theirs = { ...shared, ...own };
  const app = createApp(createPlatform(theirs, root, '0.0.0-test'));
  onTestFinished(() => app.closeStores());
  return createCli(app, theirs);
}

/** Returns the command lines at the end of a prompt. */
const findCommands = (prompt: string): string[] =>
  /# Commands, in order\n\n```bash\n([\s\S]*?)\n```/
    .exec(prompt)![1]!
    .split('\n')
    .filter((line) => !line.startsWith('#'));

const createOutput = (status: string): string =>
  `# Faster parsing\n\n**Task**: T002\n**Epic**: T001\n**Date**: 2026-11-15\n**Status**: ${status}\n\n---\n\n## Summary\nTwice as fast.\n\n## Content\nA table instead of a search.\n\n## Changes\n- src/parse.ts: a table\n\n## Verification\nnpm test: 12 passed\n`;

test('runs an epic from its plan to a verified result', async () => {
  const app = await openApp({ agent: 'orchestrator' });
  const run = async (words: string | string[], exit = 0) => {
    const { exitCode, envelope } = await app.cli(words);
    expect([exitCode, envelope.error?.message]).toEqual([exit, envelope.error?.message]);
    return envelope;
  };
  await run(['add', 'Parse faster', '--type', 'epic']);
  await run(['add', 'Implement the table', '--parent', 'T001', '--description', 'Look up instead of searching', '--files', 'src/parse.ts']);
  await run(['session', 'start', '--scope', 'epic:T001', '--auto-focus', '--name', 'Faster']);
  const gate = await run(['orchestrator', 'spawn', 'T002'], 80);
  await run(gate.error.fix);
  const { spawn } = await run(['orchestrator', 'spawn', 'T002']);
  expect(spawn).toMatchObject({ protocol: 'implementation', tokenResolution: { fullyResolved: true } });

  const agent = createSubagent(app, spawn.env);
  expect((await agent(['start', 'T002'])).exitCode).toBe(102);
  writeFileSync(join(app.root, spawn.outputDir, 'implement-the-table.md'), createOutput('complete'));
  const line = {
    id: 'T002-implement-the-table',
    file: `${spawn.outputDir}/implement-the-table.md`,
    title: 'Faster parsing',
    date: '2026-11-15',
    status: 'complete',
    agent_type: 'implementation',
    topics: ['speed'],
    key_findings: ['Twice as fast'],
    actionable: false,
    needs_followup: [],
    linked_tasks: ['T002'],
  };
  appendFileSync(join(app.root, '.cleo/research/MANIFEST.jsonl'), `${JSON.stringify(line)}\n`);
  expect((await agent(['complete', 'T002'])).exitCode).toBe(0);

  const message = 'Implementation complete. See MANIFEST.jsonl for summary.';
  expect(await run(['orchestrator', 'collect', 'T002', '--message', message])).toMatchObject({
    collected: { done: true, status: 'complete', agentId: spawn.agentId, keyFindings: ['Twice as fast'] },
  });
  expect(await run(['validate', 'protocol', 'T002', '--message', message])).toMatchObject({ agentId: spawn.agentId });
  const { entries } = await run(['log', '--agent', spawn.agentId]);
  expect(entries.map(({ operation }: { operation: string }) => operation)).toContain('tasks.complete');
  expect(entries.every(({ session }: { session: string }) => session === spawn.env.CLEO_SESSION_ID)).toBe(true);
});

test('the commands of a prompt run as printed for any agent', async () => {
  const app = await openApp({
    tasks: ['session session-1 epic:T001', 'T001 epic', 'T002 in T001: Build it'],
    config: { lifecycleEnforcement: { mode: 'off' } },
  });
  const { spawn } = await app.call('orchestrate.spawn', { inline: true, taskId: 'T002' });
  writeFileSync(join(app.root, spawn.outputDir, 'build-it.md'), createOutput('complete'));
  for (const line of findCommands(spawn.prompt)) expect([line, (await app.cli(line)).exitCode]).toEqual([line, 0]);
  const link = /`(cleo research link [^`]*)`\.$/m.exec(spawn.prompt)![1]!;
  expect((await app.cli(link)).exitCode).toBe(101);
  expect(await app.call('orchestrate.collect', { taskId: 'T002' })).toMatchObject({ collected: { agentId: spawn.agentId, done: true } });
  const { entries } = await app.call('admin.log', { agent: spawn.agentId });
  expect(entries.map(({ operation }: { operation: string }) => operation).sort()).toEqual([
    'research.add',
    'research.link',
    'tasks.complete',
    'tasks.start',
  ]);
});

test('the prompt explains required evidence and the verdict of another agent', async () => {
  const app = await openApp({
    tasks: ['session session-1 epic:T001', 'T001 epic', 'T002 in T001 evidence qaPassed: Build it'],
    config: { lifecycleEnforcement: { mode: 'off' }, verification: { tools: { test: [process.execPath, '--version'] } } },
  });
  const worker = (await app.call('orchestrate.spawn', { inline: true, taskId: 'T002' })).spawn;
  const told = findCommands(worker.prompt);
  expect(told.filter((line) => line.includes(' verify ')).map((line) => line.split(' --agent')[0])).toEqual([
    'cleo verify T002 --gate implemented --evidence "commit:HEAD"',
    'cleo verify T002 --gate testsPassed --evidence "tool:test"',
  ]);
  expect(worker.prompt).toContain('another agent must give');
  await app.cli(told[0]!);
  writeFileSync(join(app.root, 'parse.ts'), 'export {};');
  for (const line of told.filter((each) => each.includes(' verify ')))
    expect((await app.cli(line.replace('commit:HEAD', 'files:parse.ts'))).envelope).toMatchObject({ success: true });
  const { spawn } = await app.call('orchestrate.spawn', { inline: true, taskId: 'T002', role: 'validator' });
  const [show, pull, attest, reject] = findCommands(spawn.prompt);
  for (const line of [show!, pull!]) expect([line, (await app.cli(line)).exitCode]).toEqual([line, 0]);
  // Agents of one process differ in their names only, so the verdict needs the secret of the spawn.
  expect((await app.cli(attest!)).envelope).toMatchObject({ error: { code: 'E_CIRCULAR_VALIDATION', exitCode: 82 } });
  const { CLEO_VALIDATOR_SECRET: secret } = spawn.env;
  expect(spawn.prompt).toContain(`CLEO_VALIDATOR_SECRET=${secret}`);
  expect((await app.cli(`${attest!} --secret ${secret}`)).envelope).toMatchObject({
    verdict: { by: spawn.agentId, independence: 'spawn' },
  });
  expect((await app.cli(reject!)).envelope).toMatchObject({ error: { code: 'E_VERIFICATION_LOCKED' } });
  expect((await app.cli(told.at(-1)!)).envelope).toMatchObject({ task: { status: 'done' } });
});

/** Documented spawn commands with ids filled in. */
test.each(['cleo orchestrator spawn T002', 'cleo orchestrate spawn T002 --tier 2'])('%s', async (line) => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001: Research parsers'] });
  const { exitCode, envelope } = await app.cli(line);
  expect(exitCode).toBe(0);
  expect(envelope.spawn.tokenResolution.fullyResolved).toBe(true);
});

test('cleo_mutate({ domain: "orchestrate", operation: "spawn", params: { taskId: "T002" }})', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001: Research parsers'] });
  const asked = { gateway: 'cleo_mutate', asked: 'mutate' } as const;
  expect(await app.call('orchestrate.spawn', { inline: true, taskId: 'T002' }, asked)).toMatchObject({
    success: true,
    spawn: { taskId: 'T002' },
  });
});
