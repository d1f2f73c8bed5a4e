import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkIntegrity, createFaultProject, createKillTimer, pickSize, queryDatabase } from './processes.ts';

const nodes = 300;
/** Creates, changes, deletes and relates tasks in one graph, so that a partial write is visible in any of them. */
const createPayload = (n: number) => ({
  version: 1,
  create: Array.from({ length: nodes }, (_, i) => ({
    ref: `r${i}`,
    title: `Part ${i} of ${n}`,
    acceptance: ['done as asked'],
    ...(i === 0 ? { type: 'epic' } : { parent: 'r0', depends: i > 1 ? [`r${i - 1}`] : [] }),
  })),
  update: [{ id: 'T001', title: `Changed by ${n}`, addDepends: ['r1'] }],
  relations: [{ from: 'r2', to: 'T001', type: 'related', reason: 'made together' }],
});

test('a killed WorkGraph is applied completely or not at all, and the next call works', async () => {
  const kills = pickSize(6, 50);
  const project = await createFaultProject();
  await project.runOk(['config', 'set', 'hierarchy.maxSiblings', '0']);
  await project.runOk(['add', 'The first']);
  const count = (query: string): number => Number(queryDatabase(project.database, query)[0]?.n);
  const fileOf = (n: number): string => {
    const file = join(project.root, `graph-${n}.json`);
    writeFileSync(file, JSON.stringify(createPayload(n)));
    return file;
  };
  const began = performance.now();
  await project.runOk(['workgraph', 'apply', '--file', fileOf(0)]);
  const aim = createKillTimer(performance.now() - began);
  const applied = new Set([0]);
  for (let n = 1; n <= kills; n++) {
    const words = ['workgraph', 'apply', '--file', fileOf(n)];
    const killed = await project.run(words, {
      onStart: (child) => void sleep(aim.pickMoment(0.2, 1.2)).then(() => child.kill('SIGKILL')),
    });
    aim.recordEnd(killed);
    expect((count('select count(*) as n from tasks') - 1) % nodes).toBe(0);
    // Applying it again reports whether it was applied, and applies it if not.
    const again = await project.run(words);
    expect(killed.answer.success ? [102] : [0, 102]).toContain(again.exitCode);
    applied.add(n);
  }
  expect(aim.countKills()).toBeGreaterThan(kills / 4);
  expect(count('select count(*) as n from tasks')).toBe(1 + applied.size * nodes);
  expect(count('select count(*) as n from task_relations')).toBe(applied.size);
  expect(count(`select count(*) as n from task_dependencies where task_id = 'T001'`)).toBe(applied.size);
  expect(count('select count(*) as n from workgraphs')).toBe(applied.size);
  expect(count(`select count(*) as n from audit_log where operation = 'apply' and success = 1 and exit_code = 0`)).toBe(applied.size);
  expect(checkIntegrity(project.database)).toBe('ok');
});
