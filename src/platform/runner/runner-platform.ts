import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { isatty } from 'node:tty';
import { defined } from '#lib/collections.ts';
import { createGlobMatcher, getGlobBase, isGlob } from '#lib/glob.ts';
import { reportWriteErrors } from '#runs/errors/skill.ts';
import type { TreeSnapshot } from '#runs/model/tree.ts';
import { removeDrafts, removeDraftsFor } from '../drafts.ts';
import { createPrivate, writePrivate } from '../files.ts';
import { acquireLock } from '../lock-file.ts';
import type { Git, Platform, Project } from '../port.ts';
import { isAlive, listenForInterrupts, readBootId, readStartTime } from '../processes.ts';
import { isPlainVariable, selectSkillEnvironment } from '../program-environment.ts';
import type { FileEntry, RunnerPlatform } from './port.ts';
import { createReviewLog, createRunFolder, createTraceFolder, openTraceWriter } from './run-files.ts';
import { findSkill, findSkillFolder, listProjectSkills } from './skill-lookup.ts';
import { createScratch, getScratchPrefix, killAll, killMarked, removeScratch, runSkill } from './skill-process.ts';

const maxMatches = 1000;
const maxVisited = 200_000;
const maxTimeoutMs = 2 ** 31 - 1;

/** Creates the operating system services of the runner. Loaded only by commands that run skills or read their files. */
export function createRunnerPlatform(
  platform: Platform,
  { root, folder }: Project,
  env: Record<string, string | undefined>,
): RunnerPlatform {
  const realRoot = realpathSync.native(root);
  let key: Buffer | undefined;
  const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
  return {
    root,
    folder,
    now: platform.now,
    monotonicMs: platform.monotonicMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, signal.aborted ? 0 : ms);
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done, { once: true });
      }),
    // The id begins with the time, so that ids sort by age.
    createRunId: () => `run-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`,
    identifyProcess: () => ({ pid: process.pid, began: readStartTime(process.pid), boot: readBootId() }),
    isAlive,
    hash,
    hmac: (text) => {
      key ??= readOrCreateSalt(folder);
      return createHmac('sha256', key).update(text).digest('hex');
    },
    env,
    isPlainVariable,
    selectSkillEnvironment: (declared) => selectSkillEnvironment(env, declared),
    listenForInterrupts: () => listenForInterrupts(killAll),
    readSchemaFiles: () => {
      const schemas = join(folder, 'schemas');
      const names = platform.files.isFolder(schemas) ? platform.files.list(schemas).map(({ name }) => name) : [];
      return names
        .filter((name) => /\.(doc\.yaml|schema\.json)$/.test(name))
        .sort()
        .map((name) => ({ name, text: readFileSync(join(schemas, name), 'utf8') }));
    },
    detectOperator: () => detectOperator(platform, env),
    cpuCount: availableParallelism(),
    readGitState: () => readGitState(platform, root),
    findFiles: (pattern) => findFiles(realRoot, pattern),
    statFile: (path) => statEntry(realRoot, path)[0],
    readFile: (path, maxBytes) => (maxBytes === undefined ? readFileSync(join(root, path)) : readStart(join(root, path), maxBytes)),
    hashFile: (path) => hashFile(join(root, path)),
    runSkill,
    scanTree: () => scanTree(root, async () => (isInCheckout(root) ? listChangedFiles(await platform.loadGit(), root) : undefined)),
    commandSucceeds: async (argv, options) => (await platform.runProgram(argv, { folder: root, ...options })).exitCode === 0,
    async runWithInput(argv, input, { timeoutMs, ...options }) {
      const { exitCode, stdout, durationMs, problem, stopped } = await platform.runProgram(argv, {
        folder: root,
        input,
        timeoutMs: timeoutMs || maxTimeoutMs,
        tailBytes: 1 << 20,
        maxBytes: 1 << 20,
        ...options,
      });
      return { stdout, durationMs, ...defined({ exitCode, problem: problem ?? (stopped && stopReasons[stopped]) }) };
    },
    hashProgram: (word) => {
      const path = findProgram(root, word, env.PATH);
      return path === undefined ? '' : hashFile(path);
    },
    findSkill: (name, path) => findSkill(root, folder, name, path, hash),
    hasSkill: (name, path) => findSkillFolder(root, folder, name, path) !== undefined,
    listSkills: () => listProjectSkills(root, folder),
    createScratch,
    async cleanUpRun(runId) {
      const killed = await killMarked(`CLEO_RUN_ID=${runId}`, getScratchPrefix(runId), 1500);
      removeScratch(runId);
      removeDrafts(join(folder, 'runs', runId), 'all');
      return killed;
    },
    openTrace: (runId, at, redactor) => {
      const traces = join(folder, 'traces');
      return reportWriteErrors(traces, 74, () => {
        mkdirSync(traces, { recursive: true, mode: 0o700 });
        return openTraceWriter(join(traces, `${at.slice(0, 10)}-${runId}.jsonl`), { runId, redactor, now: platform.now, hash });
      });
    },
    traces: createTraceFolder(join(folder, 'traces')),
    runs: createRunFolder(join(folder, 'runs')),
    work: createRunFolder(join(folder, 'worktrees', '.state'), ''),
    cleanUpWork() {
      removeDraftsFor(join(folder, 'worktrees', '.gitignore'));
      removeDrafts(join(folder, 'worktrees', '.state'), 'dead');
    },
    reviews: createReviewLog(platform, join(folder, 'reviews.jsonl')),
    acquireLock: (name, waitMs, options) => acquireLock(join(folder, 'runs'), name, waitMs, options),
  };
}

/** Resolves a word of a command line to a file by its path, or to a program in PATH. */
function findProgram(root: string, word: string, path = ''): string | undefined {
  const paths = [resolve(root, word), ...(word.includes('/') ? [] : path.split(delimiter).map((folder) => join(folder || '.', word)))];
  return word === '' ? undefined : paths.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
}

const stopReasons = { time: 'timed out', output: 'printed more than 1 MiB', cancelled: 'was cancelled' } as const;

/** The 32 random bytes in `.cleo/trace-salt`. A file of another length is replaced, because a short key hides nothing. */
function readOrCreateSalt(folder: string): Buffer {
  const path = join(folder, 'trace-salt');
  const known = existsSync(path) ? readFileSync(path) : undefined;
  if (known?.length === 32) return known;
  return reportWriteErrors(path, 73, () => {
    const fresh = randomBytes(32);
    if (known) writePrivate(path, fresh);
    else createPrivate(path, fresh);
    // Another run may have created the file first.
    return readFileSync(path);
  });
}

function detectOperator({ identity }: Platform, env: Record<string, string | undefined>): ReturnType<RunnerPlatform['detectOperator']> {
  const declared = env.CLEO_OPERATOR;
  if (declared === 'human' || declared === 'ai' || declared === 'ci') return declared;
  if (env.CI && env.CI !== 'false') return 'ci';
  if (identity.kind !== 'person') return 'ai';
  return isatty(0) ? 'human' : 'unknown';
}

async function readGitState(platform: Platform, root: string): ReturnType<RunnerPlatform['readGitState']> {
  // Saves a process outside of a checkout.
  if (!isInCheckout(root)) return undefined;
  try {
    return await (await platform.loadGit()).getState(root);
  } catch {
    // Git is missing or failed.
    return undefined;
  }
}

function isInCheckout(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function findFiles(root: string, pattern: string): { files: FileEntry[]; isCut: boolean } {
  if (!isGlob(pattern)) return { files: statEntry(root, pattern), isCut: false };
  const matches = createGlobMatcher(pattern);
  const paths: string[] = [];
  const folders = [getGlobBase(pattern)];
  let visited = 0;
  for (let folder = folders.pop(); folder !== undefined && visited < maxVisited; folder = folders.pop())
    for (const entry of listEntries(join(root, folder))) {
      if (ignoredNames.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      visited += 1;
      // Links are not followed: they may leave the project or form a loop.
      if (entry.isDirectory()) folders.push(path);
      else if (matches(path)) paths.push(path);
    }
  paths.sort();
  const files = paths.slice(0, maxMatches).flatMap((path) => statEntry(root, path));
  return { files: files.filter(({ kind }) => kind !== 'folder'), isCut: paths.length > maxMatches || visited >= maxVisited };
}

function existsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The name is not valid on this file system.
    return false;
  }
}

/** Returns at most one entry. It does not open the file: a pipe without a writer would block. */
function statEntry(root: string, path: string): FileEntry[] {
  const full = join(root, path);
  try {
    const real = realpathSync(full);
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`)) return [{ path, kind: 'outside', size: 0 }];
    const stats = statSync(real);
    return [{ path, kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other', size: stats.size }];
  } catch {
    // A broken or circular link, or a file that was just removed.
    return existsAt(full) ? [{ path, kind: 'other', size: 0 }] : [];
  }
}

function readStart(path: string, maxBytes: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    let length = 0;
    for (let read = -1; read !== 0 && length < maxBytes; length += read) read = readSync(file, bytes, length, maxBytes - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Reads in chunks, because a file may be larger than memory. */
function hashFile(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(fstatSync(file).size, 1 << 20)));
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

/** Folders and files of tools, which are not output of a skill. */
const ignoredNames = new Set(['.git', 'node_modules', '.cleo']);
const maxScannedFiles = 50_000;

/** Lists every file below a folder with size and times, without reading it or following links. A tree with more than
 *  `maxFiles` is described by `listChanged`, the files that git reports as changed. */
export async function scanTree(
  root: string,
  listChanged: () => Promise<string[] | undefined>,
  maxFiles = maxScannedFiles,
): Promise<TreeSnapshot> {
  const files: TreeSnapshot['files'] = new Map();
  addWatched(files, root);
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of listEntries(join(root, folder))) {
      if (ignoredNames.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (files.size >= maxFiles) return createCoarseSnapshot(root, await listChanged());
      else addFile(files, root, path);
    }
  }
  return { files, isCoarse: false };
}

/** Files below `folder` that differ from the last commit; undefined if git fails. */
export async function listChangedFiles(git: Pick<Git, 'getPrefix' | 'listChanges'>, folder: string): Promise<string[] | undefined> {
  try {
    const prefix = (await git.getPrefix(folder)) ?? '';
    // Git reports paths from the top of the checkout.
    return (await git.listChanges(folder)).flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  } catch {
    return undefined;
  }
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No permission, or removed since it was listed.
    return [];
  }
}

/** Files and folders in ignored folders that decide which programs run later. */
const watchedFiles = ['.git/config', '.cleo/config.json'];
const watchedFolders = ['.git/hooks', '.cleo/skills'];
const maxWatchedFiles = 2000;

/** Adds the files that `ignoredNames` would leave out although a change of them matters. */
function addWatched(files: TreeSnapshot['files'], root: string): void {
  for (const path of watchedFiles) if (existsAt(join(root, path))) addFile(files, root, path);
  const folders = [...watchedFolders];
  for (let folder = folders.pop(); folder !== undefined && files.size < maxWatchedFiles; folder = folders.pop())
    for (const entry of listEntries(join(root, folder))) {
      if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`);
      // Git never runs its samples.
      else if (!entry.name.endsWith('.sample')) addFile(files, root, `${folder}/${entry.name}`);
    }
}

function addFile(files: TreeSnapshot['files'], root: string, path: string): void {
  try {
    const { size, mtimeMs, ctimeMs } = lstatSync(join(root, path));
    files.set(path, { size, mtimeMs, ctimeMs });
  } catch {
    // Removed since it was listed.
  }
}

/** Holds only the changed files. A deleted file is not in it. */
function createCoarseSnapshot(root: string, paths: string[] | undefined): TreeSnapshot {
  const files: TreeSnapshot['files'] = new Map();
  addWatched(files, root);
  for (const path of paths ?? []) if (!path.split('/').some((part) => ignoredNames.has(part))) addFile(files, root, path);
  return { files, isCoarse: true, ...(paths ? {} : { isUnknown: true }) };
}
