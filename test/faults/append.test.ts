import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { checkJsonLines } from '../../src/lib/jsonl.ts';
import { runtimePath } from '../built-cli.ts';
import { createFaultFolder, pickSize, root } from './processes.ts';

/** A program that appends `count` lines of different lengths with `files.appendLine`. */
const createProgram = (path: string) => `import { files } from ${JSON.stringify(join(root, 'src', 'platform', 'files.ts'))};
const [row, count] = process.argv.slice(2).map(Number);
for (let place = 0; place < count; place++)
  files.appendLine(${JSON.stringify(path)}, JSON.stringify({ row, place, text: 'x'.repeat((place * 997) % 20000) }));`;

test('concurrent appends lose no line, also after an incomplete one', async () => {
  const [crowd, length] = [pickSize(8, 16), pickSize(60, 500)];
  const folder = createFaultFolder();
  const path = join(folder, '.cleo', 'metrics', 'GRADES.jsonl');
  const bundle = join(folder, 'append.mjs');
  await build({
    stdin: { contents: createProgram(path), resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile: bundle,
    logLevel: 'error',
  });
  const run = async (row: number, count: number): Promise<number> => {
    const child = spawn(runtimePath, [bundle, String(row), String(count)], { stdio: ['ignore', 'inherit', 'inherit'] });
    return (await once(child, 'close'))[0];
  };
  expect(await run(-1, 1)).toBe(0);
  writeFileSync(path, '{"row":-2,"pla', { flag: 'a' });
  expect(await Promise.all(Array.from({ length: crowd }, (_, row) => run(row, length)))).toEqual(Array(crowd).fill(0));

  const text = readFileSync(path, 'utf8');
  expect(checkJsonLines(text)).toEqual({ invalidLines: [2] });
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  const found = lines.map((line) => JSON.parse(line) as { row: number; place: number; text: string });
  expect(found.filter(({ place, text }) => text.length !== (place * 997) % 20000)).toEqual([]);
  for (let row = 0; row < crowd; row++)
    // The lines of each process are in order.
    expect(found.filter((one) => one.row === row).map((one) => one.place)).toEqual(Array.from({ length }, (_, i) => i));
});
