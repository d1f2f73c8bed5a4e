import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBootId, readStartTime } from '../../src/platform/processes.ts';
import { createReviewRequest, writeReviews, writeRun } from '../../test/run-files.ts';
import type { ServedProject } from './served-project.ts';

/** Writes runs in several states and a review into a project, as the runner does. */
export async function addSampleRuns(project: ServedProject): Promise<void> {
  const folder = join(project.root, '.cleo');
  const score = {
    total_score: 82,
    max_score: 100,
    percent: 82,
    grade: 'B',
    evaluator: 'rubric',
    rubric_version: '1',
    dimensions: { completeness: 40, correctness: 42 },
  };
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  writeRun(folder, { id: 'run-a', status: 'success', agent: 'ada', at: at(5), stepMs: 3400 });
  writeRun(folder, {
    id: 'run-b',
    status: 'failure',
    agent: 'grace',
    at: at(2),
    stepMs: 2900,
    more: [['score_recorded', score, { execution_id: 'run-b:discovery:writer', phase: 'discovery', skill: 'writer' }]],
  });
  writeRun(folder, { id: 'run-c', status: 'crashed', at: at(1), stepMs: 1200 });
  writeOutput(project, 'run-b', 'Reading prd.md\nWriting design.md\n');
  writeReviews(folder, [createReviewRequest('rv-1', 'run-a', { at: at(4) })]);
}

/** Writes what `cleo work` does into a project, as it does: one process with an agent that works, one that is done, and one given up. */
export function addSampleWork({ root }: ServedProject, overrides: Record<string, unknown> = {}): void {
  const process = { pid: globalThis.process.pid, began: readStartTime(globalThis.process.pid), boot: readBootId() };
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const write = (name: string, file: string, value: object): void => {
    const folder = join(root, '.cleo', 'worktrees', '.state', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify({ ...value, ...overrides }));
  };
  const usage = (inputTokens: number, costUsd: number) => ({ inputTokens, outputTokens: Math.round(inputTokens / 10), costUsd });
  const common = { ...process, profile: 'claude', workId: 'work-1', base: 'main', start: '0', promptFile: 'p', outputDir: 'o', round: 1 };
  write('work-1', 'work.json', {
    ...process,
    ...{ workId: 'work-1', profile: 'claude', parallel: 2, scope: 'epic:T001', startedAt: at(24), tasks: 1, failures: 1 },
    usage: usage(310_000, 2.18),
  });
  const items = [
    ['T005', 'working', 'Report errors with line and column', 6, 'Editing src/report.ts', usage(41_000, 0.31)],
    ['T013', 'done', 'Tokens for numbers', 20, 'Implementation complete.', usage(120_000, 0.87)],
    ['T006', 'attention', 'Recover after an error', 14, 'npm test', usage(149_000, 1)],
  ] as const;
  for (const [taskId, state, title, minutes, lastLine, used] of items)
    write(taskId, 'item.json', {
      ...common,
      ...{ taskId, title, state, lastLine, agentId: `${taskId}-worker-1`, runId: 'run-c', startedAt: at(minutes), usage: used },
      branch: `cleo/${taskId}-${title.toLowerCase().replaceAll(' ', '-')}`,
      ...(state === 'working' ? {} : { endedAt: at(minutes - 5) }),
      ...(state === 'attention' ? { round: 2, note: 'The tests still fail after 2 rounds' } : {}),
    });
}

/** Writes what the first skill of a run printed. */
export function writeOutput({ root }: ServedProject, run: string, text: string): void {
  const folder = join(root, '.cleo', 'runs', run, 'discovery', 'writer', '1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'stdout.log'), text);
}

/** Writes a run whose texts are all hostile, and a review of it. */
export function addHostileRun(project: ServedProject, text: string): void {
  const folder = join(project.root, '.cleo');
  const subject = { execution_id: `run-x:${text}:${text}`, phase: text, skill: text, attempt: 1 };
  writeRun(folder, {
    id: 'run-x',
    status: 'failure',
    agent: text,
    more: [
      ['execution_progress', { kind: text, note: text, path: text }, subject],
      ['attempt_started', { program: text }, subject],
      ['gate_checked', { name: text, status: text, checks_performed: [{ name: text, passed: false, message: text }] }, subject],
      [
        'execution_complete',
        { status: text, outputs_summary: { artifacts: [{ path: text, checksum: text }] }, errors: [{ message: text }] },
        subject,
      ],
      [
        'score_recorded',
        { grade: text, percent: 1, evaluator: text, dimensions: { [text]: 1 }, total_score: text, max_score: text },
        subject,
      ],
    ],
  });
  const path = join(folder, 'runs', 'run-x', 'run.json');
  const record = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...record, construct: { ...record.construct, name: text } }));
  writeOutput(project, 'run-x', `${text}\n\u001b[31m${text}\n`);
  const texts = { scope: text, profile: text, title: text, agentId: text, branch: text, note: text, lastLine: text };
  addSampleWork(project, texts);
  writeReviews(folder, [createReviewRequest('rv-x', 'run-x', { reason: text, goal: text, phase: text, skill: text })]);
}
