import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from './app.ts';
import { createTempFolder } from './temp-folder.ts';

/** Records the requests and answers like the API. */
const gh = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const [, , method, path] = process.argv.slice(2).filter((word) => word !== '--input' && word !== '-');
const log = process.env.GH_LOG;
const number = 40 + (readFileSync(log, 'utf8').match(/^POST  /gm) ?? []).length;
appendFileSync(log, method + ' ' + path.replace('repos/{owner}/{repo}/issues', '') + ' ' + readFileSync(0, 'utf8') + '\\n');
console.log(JSON.stringify({ id: number * 1000, number }));
`;

test('the script of the guide creates the issues, their relations and their states', async () => {
  const { call, root } = await openApp({ tasks: ['T001 epic', 'T002 in T001 depends T003', 'T003 in T001 done high: Read "it"'] });
  await call('tasks.update', { taskId: 'T003', notes: 'said' });
  await call('tasks.export.file', { output: 'issues.json', format: 'github' });
  const page = readFileSync(resolve(import.meta.dirname, '../docs/guide/import-and-export.md'), 'utf8');
  writeFileSync(join(root, 'make-issues.mjs'), /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const bin = createTempFolder();
  writeFileSync(join(bin, 'gh'), gh);
  chmodSync(join(bin, 'gh'), 0o755);
  const log = join(bin, 'log');
  writeFileSync(log, '');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, GH_LOG: log };
  const out = execFileSync(process.execPath, ['make-issues.mjs', 'issues.json', '0'], { cwd: root, env, encoding: 'utf8' });
  expect(out.split('\n')).toEqual(['1 -> #40 Task T001', '3 -> #41 Read "it"', '2 -> #42 Task T002', '']);
  const asked = readFileSync(log, 'utf8').trim().split('\n');
  expect(asked.map((line) => line.replace(/ \{.*/, ''))).toEqual([
    'POST ',
    'POST ',
    'POST /40/sub_issues',
    'POST /41/comments',
    'PATCH /41',
    'POST ',
    'POST /40/sub_issues',
    'POST /42/dependencies/blocked_by',
  ]);
  expect(asked.at(-1)).toBe('POST /42/dependencies/blocked_by {"issue_id":41000}');
  expect(asked[4]).toBe('PATCH /41 {"state":"closed","state_reason":"completed"}');
});
