import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../app.ts';
import { changes, expectedAfter, expectedCounts, type PeerName, type Recording } from './changes.ts';

const programs: Partial<Record<PeerName, string>> = JSON.parse(process.env.CLEO_PEERS ?? '{}');
const here = import.meta.dirname;
const cleo = join(here, '..', '..', 'dist', 'cleo.js');

interface Peer {
  root: string;
  cleo(...words: string[]): Json;
  /** Runs the tool and returns what it prints. */
  run(...words: string[]): string;
}

/** A folder with the project of `project.jsonl`, in which the tool and cleo run. */
function openPeer(name: PeerName): Peer {
  const root = mkdtempSync(join(tmpdir(), `cleo-peer-${name}-`));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: root,
    TASKRC: join(root, 'taskrc'),
    TASKDATA: join(root, 'taskdata'),
    CLEO_HOME: join(root, 'home'),
    NO_COLOR: '1',
  };
  writeFileSync(env.TASKRC, 'confirmation=off\nverbose=nothing\n');
  mkdirSync(env.TASKDATA);
  execFileSync('git', ['init', '-q'], { cwd: root });
  const peer: Peer = {
    root,
    cleo: (...words) => JSON.parse(spawnSync(process.execPath, [cleo, ...words, '--json'], { cwd: root, env, encoding: 'utf8' }).stdout),
    run: (...words) => {
      const { stdout, stderr, status } = spawnSync(programs[name]!, words, {
        cwd: root,
        env,
        encoding: 'utf8',
        input: '',
        timeout: 120_000,
      });
      if (status !== 0) throw new Error(`${words.join(' ')}: ${status}\n${stdout}\n${stderr}`);
      return stdout;
    },
  };
  peer.cleo('init');
  expect(peer.cleo('import', join(here, 'project.jsonl'))).toMatchObject({ imported: 10 });
  return peer;
}

/** Stores the files that a tool read and wrote, for the short form of these tests. */
function record(name: PeerName, step: keyof Recording, peer: Peer, path: string): void {
  if (!process.env.CLEO_PEERS_RECORD) return;
  const place = join(peer.root, path);
  const names = statSync(place).isFile()
    ? ['']
    : (readdirSync(place, { recursive: true }) as string[]).filter((one) => one.endsWith('.md'));
  const files = names.sort().map((one) => ({ name: one || basename(path), text: readFileSync(join(place, one), 'utf8') }));
  const target = join(here, 'recorded', `${name}.json`);
  const before: Partial<Recording> = existsSync(target) ? JSON.parse(readFileSync(target, 'utf8')) : {};
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${JSON.stringify({ ...before, [step]: files }, null, 2)}\n`);
}

/** Imports what the tool changed: the right tasks change, nothing is doubled, and importing again changes nothing. */
function importBack(name: PeerName, peer: Peer, path: string): void {
  const before = new Map(peer.cleo('list', '--all', '--limit', '0').tasks.map((task: Json) => [task.id, task]));
  expect(peer.cleo('import', '--from', name, path)).toMatchObject(expectedCounts(name));
  const tasks: Json[] = peer.cleo('list', '--all', '--limit', '0').tasks;
  expect(tasks).toHaveLength(11);
  const expected = expectedAfter(name);
  for (const task of tasks) {
    const wanted = expected[task.id];
    if (wanted) expect(peer.cleo('show', task.id).task).toMatchObject(wanted);
    else expect(task).toEqual(before.get(task.id));
  }
  expect(peer.cleo('import', '--from', name, path)).toMatchObject({ imported: 0, updated: 0, unchanged: 11 });
}

/** Tests only the tools that the caller has named. */
const describePeer = (name: PeerName, title: string, define: () => void): void => {
  if (programs[name]) describe(title, define);
};

describePeer('taskwarrior', 'Taskwarrior', () => {
  test('reads an export, and its changes come back', () => {
    const peer = openPeer('taskwarrior');
    peer.cleo('export', '--format', 'taskwarrior', '--output', 'tasks.json');
    record('taskwarrior', 'exported', peer, 'tasks.json');
    peer.run('import', 'tasks.json');
    const records: Json[] = JSON.parse(peer.run('export'));
    const find = (text: string): Json => records.find(({ description }) => description === text)!;
    expect(records.map(({ description }) => description).sort()).toEqual(
      [
        'Parser: the "first" part',
        'Write the +grammar @home key:value',
        "Generate 'tables' #1 (fast)",
        '- leading dash',
        'Ünïcödé 日本語 🚀',
        'Wait for the key',
        'Old idea',
        'Same as before',
        'Finished work',
        'In progress',
      ].sort(),
    );
    expect(find('Finished work')).toMatchObject({ status: 'completed', priority: 'L', depends: [find('Old idea').uuid] });
    expect(find("Generate 'tables' #1 (fast)")).toMatchObject({
      due: '20261224T000000Z',
      depends: [find('Write the +grammar @home key:value').uuid],
    });
    expect(find('In progress').start).toBeDefined();
    expect(peer.run('rc.defaultwidth=200', 'project:parser-the-first-part', 'list')).toContain("Generate 'tables' #1 (fast)");
    peer.run(find('- leading dash').uuid, 'done');
    peer.run('add', `project:${find('- leading dash').project}`, changes.added);
    writeFileSync(join(peer.root, 'tasks.json'), peer.run('export'));
    record('taskwarrior', 'changed', peer, 'tasks.json');
    importBack('taskwarrior', peer, 'tasks.json');
  });
});

describePeer('backlog', 'Backlog.md', () => {
  test('reads an export, and its changes come back', () => {
    const peer = openPeer('backlog');
    peer.cleo('export', '--format', 'backlog', '--output', 'backlog');
    record('backlog', 'exported', peer, 'backlog');
    const list = peer.run('task', 'list', '--plain');
    for (const line of [
      '[CRITICAL] TASK-2 - Write the +grammar @home key:value',
      'TASK-4 - - leading dash',
      'TASK-5 - Ünïcödé 日本語 🚀',
      '[LOW] TASK-9 - Finished work',
    ])
      expect(list).toContain(line);
    expect(list).toMatch(/In Progress:\n\s+\[MEDIUM\] TASK-10 - In progress/);
    expect(list).toMatch(/Blocked:\n\s+\[MEDIUM\] TASK-6 - Wait for the key/);
    const view = peer.run('task', 'view', '3', '--plain');
    for (const text of ["Generate 'tables' #1 (fast)", '2026-12-24', 'TASK-2', '- [ ] #1 parses lines', 'TASK-1'])
      expect(view).toContain(text);
    expect(peer.run('task', 'view', '2', '--plain')).toContain('Zoë Müller');
    peer.run('task', 'edit', '4', '-s', 'Done');
    peer.run('task', 'create', changes.added);
    record('backlog', 'changed', peer, 'backlog');
    expect(readdirSync(join(peer.root, 'backlog', 'tasks'))).toHaveLength(11);
    importBack('backlog', peer, 'backlog');
  });
});

describePeer('taskmaster', 'Task Master', () => {
  test('reads an export, and its changes come back', () => {
    const peer = openPeer('taskmaster');
    const path = '.taskmaster/tasks/tasks.json';
    mkdirSync(join(peer.root, dirname(path)), { recursive: true });
    peer.cleo('export', '--format', 'taskmaster', '--output', path);
    record('taskmaster', 'exported', peer, path);
    // A notice about new features follows the JSON.
    const [json = ''] = /^\{[\s\S]*?\n\}$/m.exec(peer.run('list', '--json', '--with-subtasks')) ?? [];
    const { tasks }: { tasks: Json[] } = JSON.parse(json);
    const find = (title: string): Json => tasks.find((task) => task.title === title)!;
    expect(find('Finished work')).toMatchObject({ status: 'done', priority: 'low' });
    expect(find('Finished work').dependencies.map(String)).toEqual([String(find('Old idea').id)]);
    expect(find('In progress').status).toBe('in-progress');
    expect(find('Wait for the key').status).toBe('blocked');
    expect(find('Old idea').status).toBe('cancelled');
    const parent = find("Generate 'tables' #1 (fast)");
    expect(parent.subtasks.map(({ title }: Json) => title)).toEqual(['- leading dash', 'Ünïcödé 日本語 🚀']);
    expect(peer.run('show', String(parent.id))).toContain("Generate 'tables' #1 (fast)");
    expect(peer.run('validate-dependencies')).toMatch(/No invalid dependencies|All Dependencies Are Valid/i);
    peer.run('set-status', `--id=${parent.id}.${parent.subtasks[0].id}`, '--status=done');
    peer.run('add-task', `--title=${changes.added}`, '--description=by hand');
    record('taskmaster', 'changed', peer, path);
    importBack('taskmaster', peer, path);
  });
});
