import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { findClientProcess, isProcessRunning, listParentProcesses, parsePsLine } from './processes.ts';

test('lists the ancestors of this process, the parent first', () => {
  const [parent, ...others] = listParentProcesses();
  expect(parent).toMatchObject({ pid: process.ppid, startTime: expect.stringMatching(/^\d+$/) });
  expect(parent?.argv.length).toBeGreaterThan(0);
  expect(others.every(({ pid }, i) => pid === [parent, ...others][i]?.parentPid)).toBe(true);
});

describe('a process', () => {
  // A server without a known client belongs to its parent, which is running.
  const [host = '', boot = '', namespace = '', pid = '', startTime = ''] = findClientProcess(true)!.key.split('/');
  const dead = String(spawnSync(process.execPath, ['-e', '0']).pid);
  const key = (...parts: string[]): string => parts.join('/');

  test.each<[string, string, boolean | undefined]>([
    ['that runs', key(host, boot, namespace, pid, startTime), true],
    ['that ended', key(host, boot, namespace, dead, startTime), false],
    ['whose pid another process has now', key(host, boot, namespace, pid, '1'), false],
    ['of another host cannot be judged', key(`other-${host}`, boot, namespace, pid, startTime), undefined],
    ['of another namespace cannot be judged', key(host, boot, `${namespace}1`, pid, startTime), undefined],
    ['that is not a key cannot be judged', 'x', undefined],
  ])('%s', (_, text, expected) => {
    expect(isProcessRunning(text)).toBe(expected);
  });

  test('from before the last boot has ended, if the host is certainly the same one', () => {
    expect(isProcessRunning(key(host, 'earlier', namespace, pid, startTime))).toBe(host.endsWith('~') ? undefined : false);
  });
});

test('parses a line of ps', () => {
  expect(parsePsLine('  812     1 Mon Nov 16 05:40:00 2026     /opt/claude --continue -p go')).toEqual({
    pid: 812,
    parentPid: 1,
    startTime: '1794807600',
    name: '/opt/claude',
    executable: '',
    argv: ['/opt/claude', '--continue', '-p', 'go'],
  });
  expect(parsePsLine('  PID  PPID')).toBeUndefined();
});
