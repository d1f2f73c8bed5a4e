import { appendFileSync, chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { computeTrustDigest } from '../trust.ts';
import { createFaultFolder, type FaultProject, openFaultProject } from './processes.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Two checkouts of one project on one server, each as on a machine of its own. */
async function openClones(): Promise<[FaultProject, FaultProject]> {
  const open = (agent: string) => openFaultProject(createFaultFolder(), { CLEO_DATABASE_URL: server.url, CLEO_AGENT_ID: agent });
  const [one, other] = [open('agent-1'), open('agent-2')];
  await one.runOk(['init']);
  mkdirSync(join(other.root, '.cleo'), { mode: 0o700 });
  copyFileSync(join(one.root, '.cleo', 'config.json'), join(other.root, '.cleo', 'config.json'));
  return [one, other];
}

const inCleo = ({ root }: FaultProject, ...path: string[]): string => join(root, '.cleo', ...path);
const readLines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** Runs a command in both checkouts, and returns the answer that both give. */
async function ask(clones: FaultProject[], ...words: string[]): Promise<Json> {
  const answers: Json[] = [];
  for (const clone of clones) {
    const { _meta, ...answer } = await clone.runOk(words);
    answers.push(answer);
  }
  expect(answers[1]).toEqual(answers[0]);
  return answers[0]!;
}

test('the policy of the project is the same in two checkouts, whatever their files say', async () => {
  const clones = await openClones();
  const [one, other] = clones;
  const file = inCleo(other, 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), hierarchy: { maxSiblings: 50 } }));
  await one.runOk(['config', 'set', 'hierarchy.maxSiblings', '1']);
  expect(await ask(clones, 'config', 'get', 'hierarchy.maxSiblings')).toMatchObject({ value: 1, source: 'store' });
  await one.runOk(['add', 'Release', '--type', 'epic']);
  await other.runOk(['add', 'First', '--parent', 'T001']);
  expect((await other.run(['add', 'Second', '--parent', 'T001'])).answer.error.code).toBe('E_SIBLING_LIMIT');
  const { entries } = await ask(clones, 'log', '--operation', 'admin.config.set');
  expect(entries).toMatchObject([{ agent: 'agent-1', success: true }]);
}, 120_000);

test('grades are the same in two checkouts', async () => {
  const clones = await openClones();
  const [one, other] = clones;
  await one.runOk(['add', 'Task']);
  const { session } = await one.runOk(['session', 'start', '--scope', 'task:T001', '--auto-focus', '--grade']);
  await one.runOk(['session', 'end', '--note', 'done']);
  await one.runOk(['grade', session.id]);
  expect((await ask(clones, 'grade', '--list')).grades).toMatchObject([{ sessionId: session.id }]);
  const [path, own] = [inCleo(other, 'metrics', 'GRADES.jsonl'), inCleo(one, 'metrics', 'GRADES.jsonl')];
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(own, 'utf8'));

  const [line] = readLines(path);
  appendFileSync(path, `${JSON.stringify({ ...JSON.parse(line!), sessionId: 'by-hand' })}\nnot a grade\n`);
  const names = async (clone: FaultProject): Promise<string[]> =>
    (await clone.runOk(['grade', '--list'])).grades.map(({ sessionId }: Json) => sessionId);
  expect(await names(other)).toEqual(['by-hand', session.id]);
  expect(await names(one)).toEqual(['by-hand', session.id]);
  expect(readLines(own)).toHaveLength(2);
  rmSync(path);
  expect(await names(other)).toEqual(['by-hand', session.id]);
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(own, 'utf8'));
}, 120_000);

test('research entries are the same in two checkouts', async () => {
  const clones = await openClones();
  const [one, other] = clones;
  await one.runOk(['add', 'Parsers']);
  await one.runOk(['add', 'Printers']);
  for (const [clone, id] of [
    [one, 'T001-a'],
    [other, 'T001-b'],
    [one, 'T001-c'],
  ] as const)
    await clone.runOk([
      'research',
      'add',
      '--id',
      id,
      '--file',
      `docs/${id}.md`,
      '--title',
      id,
      '--status',
      'complete',
      '--linked-tasks',
      'T001',
    ]);
  expect((await ask(clones, 'research')).entries.map(({ id }: Json) => id)).toEqual(['T001-c', 'T001-b', 'T001-a']);
  expect((await other.run(['research', 'add', '--id', 'T001-a', '--file', 'a.md', '--title', 'a', '--status', 'complete'])).exitCode).toBe(
    22,
  );

  await other.runOk(['research', 'link', 'T002', 'T001-a']);
  expect((await ask(clones, 'research', 'show', 'T001-a')).entry.linked_tasks).toEqual(['T001', 'T002']);
  await one.runOk(['research', 'unlink', 'T002', 'T001-a']);
  expect((await ask(clones, 'research', 'show', 'T001-a')).entry.linked_tasks).toEqual(['T001']);
  const manifests = clones.map((clone) => inCleo(clone, 'research', 'MANIFEST.jsonl'));
  expect(readLines(manifests[0]!).map((line) => JSON.parse(line).id)).toEqual(['T001-a', 'T001-b', 'T001-c']);
  expect(readFileSync(manifests[1]!, 'utf8')).toBe(readFileSync(manifests[0]!, 'utf8'));

  appendFileSync(manifests[1]!, readLines(manifests[1]!)[0]!.replaceAll('T001-a', 'T002-by-hand'));
  await other.runOk(['research']);
  expect((await ask(clones, 'research', 'show', 'T002-by-hand')).entry.title).toBe('T002-by-hand');
  await one.runOk(['research', 'archive', 'T001-b']);
  expect((await ask(clones, 'research', 'stats')).stats).toMatchObject({ entries: 3, archived: 1, problems: [] });
  for (const path of manifests) rmSync(path);
  expect((await ask(clones, 'research')).entries).toHaveLength(3);
}, 120_000);

test('a prompt is on every machine', async () => {
  const clones = await openClones();
  const [one] = clones;
  await one.runOk(['add', 'Release', '--type', 'epic']);
  await one.runOk(['add', 'Investigate slow starts', '--parent', 'T001']);
  const { spawn } = await one.runOk(['orchestrate', 'spawn', 'T002', '--inline']);
  await ask(clones, 'orchestrate', 'status');
  for (const clone of clones)
    expect(readFileSync(inCleo(clone, 'research', 'prompts', `${spawn.agentId}.md`), 'utf8').trim()).toBe(spawn.prompt.trim());
}, 120_000);

test('a run of one machine can be read, reviewed and verified on another', async () => {
  const clones = await openClones();
  const [one, other] = clones;
  mkdirSync(join(one.root, 'skills', 'writer'), { recursive: true });
  const program = join(one.root, 'skills', 'writer', 'run.sh');
  writeFileSync(program, '#!/bin/sh\necho written by one\n');
  chmodSync(program, 0o755);
  writeFileSync(
    join(one.root, 'construct.yaml'),
    `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\nskills: [{name: writer, phase: one}]
execution: {phases: [one]}\nassessment: {goal: {mode: review}}\n`,
  );
  const { run } = await one.runOk(['construct', 'run', '--intent', 'Write it'], {
    env: { CLEO_TRUST: await computeTrustDigest(one.root) },
  });
  const { runs } = await ask(clones, 'trace', 'list');
  expect(runs).toMatchObject([{ status: 'success' }]);
  const id = runs[0].id;
  expect(run.id ?? run.runId).toBe(id);
  await ask(clones, 'trace', 'show', id);
  expect(JSON.stringify((await ask(clones, 'trace', 'output', id)).outputs)).toContain('written by one');
  expect((await ask(clones, 'trace', 'verify', id)).traces).toHaveLength(1);
  await ask(clones, 'trace', 'query', '--event', 'gate_checked');

  const { reviews } = await ask(clones, 'review', 'list');
  expect(reviews).toMatchObject([{ status: 'open', runId: id }]);
  await other.runOk(['review', 'claim', reviews[0].id]);
  expect((await ask(clones, 'review', 'list')).reviews).toMatchObject([{ status: 'claimed' }]);
  const scored = await one.runOk(['assess', id]);
  expect(scored.totals.executions).toBe(1);
  expect((await ask(clones, 'trace', 'query', '--event', 'score_recorded')).lines).toHaveLength(1);
  expect(readFileSync(inCleo(other, 'runs', id, 'run.json'), 'utf8')).toBe(readFileSync(inCleo(one, 'runs', id, 'run.json'), 'utf8'));

  rmSync(inCleo(one, 'traces'), { recursive: true });
  rmSync(inCleo(one, 'runs'), { recursive: true });
  expect((await ask(clones, 'trace', 'verify', id)).traces).toHaveLength(1);
}, 120_000);
