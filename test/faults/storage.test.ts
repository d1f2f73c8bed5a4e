import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNobodyOptions, createSmallDisk } from './disks.ts';
import {
  checkIntegrity,
  createFaultFolder,
  createFaultProject,
  createIds,
  dist,
  listTaskIds,
  openFaultProject,
  pickSize,
  readBytes,
} from './processes.ts';

test('a full disk refuses the write with 3, changes nothing, lets reads go on, and is over when there is space', async () => {
  const disk = createSmallDisk();
  const { run, runOk: done, database } = await createFaultProject(disk.folder);
  for (const title of ['One', 'Two', 'Three']) await done(['add', title]);
  const before = readBytes(database);
  let refused = 0;
  // Each amount of space lets the write get a little further before it fails.
  for (let kilobytes = 0; kilobytes <= 64; kilobytes += pickSize(16, 4)) {
    const limits = disk.leave(kilobytes);
    const had = (await done(['list'])).tasks.length;
    const { exitCode, answer, stderr } = await run(['add', 'One too many'], limits);
    if (exitCode === 0) continue;
    refused++;
    expect({ exitCode, stderr, fix: answer.error?.fix }).toEqual({ exitCode: 3, stderr: '', fix: 'cleo doctor' });
    expect(readBytes(database)).toBe(before);
    expect((await done(['list'])).tasks).toHaveLength(had);
    expect((await done(['show', 'T2'])).task.title).toBe('Two');
  }
  expect(refused).toBeGreaterThan(1);
  disk.free();
  await done(['add', 'After the flood']);
  const ids = listTaskIds(database);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(database)).toBe('ok');
});

test('init on a full disk leaves nothing behind that is in the way of the next try', async () => {
  const disk = createSmallDisk();
  const { run, runOk: done } = openFaultProject(disk.folder);
  for (const kilobytes of [0, 40, 120]) {
    const { exitCode, answer } = await run(['init'], disk.leave(kilobytes));
    expect([exitCode, answer.error?.code]).toEqual([3, 'E_FILE_ERROR']);
    expect(
      (existsSync(join(disk.folder, '.cleo')) ? readdirSync(join(disk.folder, '.cleo')) : []).filter((name) => name.startsWith('cleo.db')),
    ).toEqual([]);
  }
  disk.free();
  await done(['init']);
  await done(['add', 'The first']);
});

test('a limit on the size of files refuses the write with 3 and leaves database and log as they are', async () => {
  const { run, runOk: done, database } = await createFaultProject();
  await done(['add', 'One']);
  const before = [readBytes(database), readBytes(`${database}-wal`)];
  const { exitCode, answer, stderr } = await run(['add', 'Two'], { ulimit: '-f 40' });
  expect({ exitCode, code: answer.error?.code, stderr }).toEqual({ exitCode: 3, code: 'E_FILE_ERROR', stderr: '' });
  expect([readBytes(database), readBytes(`${database}-wal`)]).toEqual(before);
  expect((await run(['show', 'T1'], { ulimit: '-f 40' })).exitCode).toBe(0);
  await done(['add', 'Two']);
});

test('an answer that cannot be written down ends with 3, not with a trace', async () => {
  const { runOk: done, database } = await createFaultProject();
  await done(['add', 'One']);
  const full = existsSync('/dev/full') ? '/dev/full' : undefined;
  if (!full) return;
  const ended = spawnInto(full, ['show', 'T1'], join(database, '..', '..'));
  expect(ended).toEqual({ status: 3, stderr: expect.stringMatching(/^cleo: .*no space left/i) });
});

function spawnInto(file: string, args: string[], cwd: string): { status: number | null; stderr: string } {
  try {
    execFileSync('bash', ['-c', 'exec "$@" >"$0"', file, process.execPath, join(dist, 'cleo.js'), ...args], { cwd, stdio: 'pipe' });
    return { status: 0, stderr: '' };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: Buffer };
    return { status, stderr: String(stderr) };
  }
}

for (const log of ['with', 'without'] as const)
  test(`a folder that cannot be written, ${log} a log: reads go on, writes are 3, nothing changes`, async () => {
    const nobody = createNobodyOptions();
    const { run, runOk: done, database, root: folder } = await createFaultProject();
    await done(['add', 'One']);
    const cleoFolder = join(folder, '.cleo');
    // Closing the last connection empties the log and takes it away.
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
    expect((await done(['add', 'Two'])).task.id).toBe('T002');
  });

test('a folder in which init may not write is 3', async () => {
  const nobody = createNobodyOptions();
  const folder = createFaultFolder();
  mkdirSync(join(folder, 'project'));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'project'), 0o555);
  const { exitCode, answer } = await openFaultProject(join(folder, 'project')).run(['init'], nobody);
  expect([exitCode, answer.error?.code]).toEqual([3, 'E_FILE_ERROR']);
  expect(readdirSync(join(folder, 'project'))).toEqual([]);
});
