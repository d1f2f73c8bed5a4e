import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../app.ts';

const root = resolve(import.meta.dirname, '../..');
const skills = readdirSync(join(root, 'skills'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const description = 'Where do the 300 ms go?\n\n```\nnpm start\n```';

/** Removes the protocol text of the tier, which has its own tests, and the random secret of a validator. */
const normalizePrompt = (prompt: string, folder: string): string =>
  prompt
    .replaceAll(folder, '/project')
    .replace(/<!-- TIER:minimal -->[\s\S]*<!-- \/TIER:minimal -->/, '<!-- TIER:minimal -->')
    .replace(/cleo_[\w-]{43}/g, 'cleo_SECRET');

test('covers all bundled skills', () => {
  expect(skills).toHaveLength(11);
});

test.each(skills)('the prompt of %s', async (skill) => {
  const app = await openApp({
    tasks: [
      'session session-1 epic:T001 by ada',
      'T001 epic: Start faster',
      'T002 in T001 done: Measure',
      'T003 in T001 depends T002 high small labels speed files src/start.ts accept Below-100-ms: Find {{what}} is slow, $& @README.md',
      'T004 in T001 depends T003: Repair',
    ],
    config: { lifecycleEnforcement: { mode: 'off' } },
    clock: { now: '2026-03-01T10:00:00.000Z' },
    agent: 'ada',
  });
  await app.call('tasks.update', { taskId: 'T003', description, notes: 'Began with the loader' });
  await app.call('research.add', {
    id: 'T002-measured',
    file: 'docs/measured.md',
    title: 'Where time goes',
    status: 'complete',
    keyFindings: ['Half of it is loading'],
    linkedTasks: ['T002'],
  });
  // A validator judges work that has begun.
  if (skill === 'ct-ivtr-validator') await app.call('tasks.start', { taskId: 'T003' });
  const role = skill === 'ct-ivtr-validator' ? 'validator' : 'worker';
  const { spawn } = await app.call('orchestrate.spawn', { inline: true, taskId: 'T003', skill, role });
  expect(spawn).toMatchObject({ skill, tokenResolution: { fullyResolved: true, unresolved: [] } });
  await expect(normalizePrompt(spawn.prompt, app.root)).toMatchFileSnapshot(`prompts/${skill}.md`);
});
