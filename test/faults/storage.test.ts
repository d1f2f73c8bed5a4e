import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { createNobodyOptions, createSmallDisk } from './disks.ts';
import {
  checkIntegrity,
  createFaultFolder,
  createFaultProject,
  createIds,
  listTaskIds,
  openFaultProject,
  pickSize,
  readBytes,
} from './processes.ts';

test('a write on a full disk fails with exit code 3 and changes nothing; reads work, and writes with more space', async () => {
  const disk = createSmallDisk();
  const { run, runOk, database } = await createFaultProject(disk.folder);
  for (const title of ['One', 'Two', 'Three']) await runOk(['add', title]);
  const before = readBytes(database);
  let refused = 0;
  // With each amount of space the write fails a little later.
  for (let kilobytes = 0; kilobytes <= 64; kilobytes += pickSize(16, 4)) {
    const limits = disk.leave(kilobytes);
    const had = (await runOk(['list'])).tasks.length;
    const { exitCode, answer, stderr } = await run(['add', 'One too many'], limits);
    if (exitCode === 0) continue;
    refused++;
    expect({ exitCode, stderr, fix: answer.error?.fix }).toEqual({ exitCode: 3, stderr: '', fix: 'cleo doctor' });
    expect(readBytes(database)).toBe(before);
    expect((await runOk(['list'])).tasks).toHaveLength(had);
    expect((await runOk(['show', 'T2'])).task.title).toBe('Two');
  }
  expect(refused).toBeGreaterThan(1);
  disk.free();
  await runOk(['add', 'After the flood']);
  const ids = listTaskIds(database);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(database)).toBe('ok');
});

test('init on a full disk leaves nothing that prevents the next init', async () => {
  const disk = createSmallDisk();
  const { run, runOk } = openFaultProject(disk.folder);
  for (const kilobytes of [0, 40, 120]) {
    const { exitCode, answer } = await run(['init'], disk.leave(kilobytes));
    expect([exitCode, answer.error?.code]).toEqual([3, 'E_FILE_ERROR']);
    expect(
      (existsSync(join(disk.folder, '.cleo')) ? readdirSync(join(disk.folder, '.cleo')) : []).filter((name) => name.startsWith('cleo.db')),
    ).toEqual([]);
  }
  disk.free();
  await runOk(['init']);
  await runOk(['add', 'The first']);
});

test('a write beyond the file-size limit fails with exit code 3 and changes nothing', async () => {
  const { run, runOk, database } = await createFaultProject();
  await runOk(['add', 'One']);
  const before = [readBytes(database), readBytes(`${database}-wal`)];
  const { exitCode, answer, stderr } = await run(['add', 'Two'], { ulimit: '-f 40' });
  expect({ exitCode, code: answer.error?.code, stderr }).toEqual({ exitCode: 3, code: 'E_FILE_ERROR', stderr: '' });
  expect([readBytes(database), readBytes(`${database}-wal`)]).toEqual(before);
  expect((await run(['show', 'T1'], { ulimit: '-f 40' })).exitCode).toBe(0);
  await runOk(['add', 'Two']);
});

test('exits with 3 without a stack trace if the answer cannot be written', async () => {
  const { runOk, database } = await createFaultProject();
  await runOk(['add', 'One']);
  const full = existsSync('/dev/full') ? '/dev/full' : undefined;
  if (!full) return;
  const ended = runInto(full, ['show', 'T1'], join(database, '..', '..'));
  expect(ended).toEqual({ status: 3, stderr: expect.stringMatching(/^cleo: .*no space left/i) });
});

function runInto(file: string, args: string[], cwd: string): { status: number | null; stderr: string } {
  try {
    execFileSync('bash', ['-c', 'exec "$@" >"$0"', file, cleoRunner, cleoPath, ...args], { cwd, stdio: 'pipe' });
    return { status: 0, stderr: '' };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: Buffer };
    return { status, stderr: String(stderr) };
  }
}

for (const log of ['with', 'without'] as const)
  test(`a read-only folder ${log} a log: reads work, writes fail with exit code 3, nothing changes`, async () => {
    const nobody = createNobodyOptions();
    const { run, runOk, database, root: folder } = await createFaultProject();
    await runOk(['add', 'One']);
    const cleoFolder = join(folder, '.cleo');
    // Closing the last connection removes the log.
    if (log === 'without') checkIntegrity(database);
    expect(existsSync(`${database}-wal`)).toBe(log === 'with');
    chmodSync(folder, 0o755);
    for (const name of readdirSync(cleoFolder)) chmodSync(join(cleoFolder, name), 0o444);
    chmodSync(cleoFolder, 0o555);
    const before = readdirSync(cleoFolder).map((name) => [name, readBytes(join(cleoFolder, name))]);
    const read = await run(['show', 'T1'], nobody);
    expect([read.exitCode, read.answer.task?.title, read.stderr]).toEqual([0, 'One', '']);
    const written = await run(['add', 'Two'], nobody);
    expect([written.exitCode, written.answer.error?.code, written.stderr]).toEqual([3, 'E_FILE_ERROR', '']);
    expect(readdirSync(cleoFolder).map((name) => [name, readBytes(join(cleoFolder, name))])).toEqual(before);
    chmodSync(cleoFolder, 0o755);
    for (const name of readdirSync(cleoFolder)) chmodSync(join(cleoFolder, name), 0o644);
    expect((await runOk(['add', 'Two'])).task.id).toBe('T002');
  });

test('init in a read-only folder fails with exit code 3', async () => {
  const nobody = createNobodyOptions();
  const folder = createFaultFolder();
  mkdirSync(join(folder, 'project'));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'project'), 0o555);
  const { exitCode, answer } = await openFaultProject(join(folder, 'project')).run(['init'], nobody);
  expect([exitCode, answer.error?.code]).toEqual([3, 'E_FILE_ERROR']);
  expect(readdirSync(join(folder, 'project'))).toEqual([]);
});
