import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from './app.ts';

/** Spawns a subagent and does what its protocol requires. */
export async function spawnAndComplete({ call, as, root }: TestApp): Promise<void> {
  const { spawn } = await call('orchestrate.spawn', { taskId: 'T002' });
  const worker = as(spawn.agentId);
  await worker.call('tasks.start', { taskId: 'T002' });
  const file = '.cleo/research/T002/uploads.md';
  const head = '# Uploads\n\n**Task**: T002\n**Epic**: T001\n**Date**: 2026-01-01\n**Status**: complete\n';
  writeFileSync(
    join(root, file),
    `${head}\n---\n\n## Summary\nResumable.\n\n## Content\nAs specified.\n\n## Changes\nNone.\n\n## Verification\nTried.\n`,
  );
  const entry = { title: 'Uploads', status: 'complete', date: '2026-01-01', agentType: spawn.protocol, linkedTasks: ['T002'] };
  await worker.call('research.add', { file, ...entry, keyFindings: ['Resumable'], topics: ['uploads'] });
  await worker.call('tasks.complete', { taskId: 'T002' });
}
