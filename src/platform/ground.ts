import { createHash, createHmac, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { isatty } from 'node:tty';
import { globBase, globMatcher, isGlob } from '#lib/glob.ts';
import type { Ground, SeenFile } from './ground-port.ts';
import type { Platform, Project } from './port.ts';
import { placePrivate, replacePrivate, sweepDrafts } from './private-file.ts';
import { reviewsOf } from './review-file.ts';
import { runFolder } from './run-folder.ts';
import { beganAt, bootId, isAlive, takeRunLock } from './run-lock.ts';
import { forgetScratch, scratch, scratchOf } from './scratch.ts';
import { findSkill, folderOf, knownSkills } from './skill-lookup.ts';
import { endAtOnce, endMarked, runSkill } from './skill-process.ts';
import { traceWriter } from './trace-file.ts';
import { traceFolder } from './trace-folder.ts';
import { entriesOf, passedOver, scanTree, seenByGit } from './tree-scan.ts';
import { writing } from './unwritable.ts';

/** More files than this are no artifact of anybody's. */
const mostFiles = 1000;
const mostLooked = 200_000;
const longestMs = 2 ** 31 - 1;

/** The machine as a run sees it. Loaded only by commands that run skills. */
export function groundOf(platform: Platform, { root, folder }: Project, env: Record<string, string | undefined>): Ground {
  const within = realpathSync.native(root);
  let key: Buffer | undefined;
  const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
  return {
    root,
    folder,
    now: platform.now,
    monotonicMs: platform.monotonicMs,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, signal.aborted ? 0 : ms);
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done, { once: true });
      }),
    // The time first, so that names sort by it.
    newId: () => `run-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`,
    process: () => ({ pid: process.pid, began: beganAt(process.pid), boot: bootId() }),
    isAlive,
    hash,
    mac: (text) => {
      key ??= salt(folder);
      return createHmac('sha256', key).update(text).digest('hex');
    },
    variables: env,
    interrupts,
    schemaFiles: () => {
      const place = join(folder, 'schemas');
      const names = platform.files.isFolder(place) ? platform.files.list(place).map(({ name }) => name) : [];
      return names
        .filter((name) => /\.(doc\.yaml|schema\.json)$/.test(name))
        .sort()
        .map((name) => ({ name, text: readFileSync(join(place, name), 'utf8') }));
    },
    operator: () => operatorOf(env),
    cpus: availableParallelism(),
    git: () => gitState(platform, root),
    look: (pattern) => look(within, pattern),
    at: (path) => see(within, path)[0],
    read: (path, most) => (most === undefined ? readFileSync(join(root, path)) : readStart(join(root, path), most)),
    digest: (path) => digest(join(root, path)),
    spawn: runSkill,
    scan: () => scanTree(root, async () => (isInCheckout(root) ? seenByGit(await platform.git(), root) : undefined)),
    async succeeds(argv, timeoutMs, signal) {
      return (await platform.run(argv, { folder: root, timeoutMs, ...(signal ? { signal } : {}) })).exitCode === 0;
    },
    async ask(argv, input, timeoutMs, signal) {
      // 0: as long as it takes.
      const limits = { timeoutMs: timeoutMs || longestMs, keepBytes: 1 << 20, maxBytes: 1 << 20, ...(signal ? { signal } : {}) };
      const ran = await platform.run(argv, { folder: root, input, ...limits });
      const problem = ran.problem ?? (ran.stopped && why[ran.stopped]);
      return {
        ...(ran.exitCode === undefined ? {} : { exitCode: ran.exitCode }),
        stdout: ran.stdout,
        durationMs: ran.durationMs,
        ...(problem ? { problem } : {}),
      };
    },
    digestOf: (word) => {
      const place = programAt(root, word, env.PATH);
      return place === undefined ? '' : digest(place);
    },
    findSkill: (name, path) => findSkill(root, folder, name, path, hash),
    hasSkill: (name, path) => folderOf(root, folder, name, path) !== undefined,
    skills: () => knownSkills(root, folder),
    scratch,
    async clearAway(runId) {
      const ended = await endMarked(`CLEO_RUN_ID=${runId}`, scratchOf(runId), 1500);
      forgetScratch(runId);
      sweepDrafts(join(folder, 'runs', runId), 'all');
      return ended;
    },
    trace: (runId, at, redactor) => {
      const traces = join(folder, 'traces');
      return writing(traces, 74, () => {
        mkdirSync(traces, { recursive: true });
        return traceWriter(join(traces, traceName(runId, at)), { runId, redactor, now: platform.now, hash });
      });
    },
    traces: traceFolder(join(folder, 'traces')),
    runs: runFolder(join(folder, 'runs')),
    reviews: reviewsOf(platform, join(folder, 'reviews.jsonl')),
    lock: (name, waitMs, options) => takeRunLock(join(folder, 'runs'), name, waitMs, options),
  };
}

/** A file by its path, or a program by its name. */
function programAt(root: string, word: string, path = ''): string | undefined {
  const places = [resolve(root, word), ...(word.includes('/') ? [] : path.split(delimiter).map((folder) => join(folder || '.', word)))];
  return word === '' ? undefined : places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile());
}

const why = { time: 'took more time than it has', output: 'printed more than it may', cancelled: 'was ended from outside' } as const;

export const traceName = (runId: string, at: string): string => `${at.slice(0, 10)}-${runId}.jsonl`;

/** 32 bytes that are this project's alone, made when they are first needed. Others are none: a key that is short, or empty, hides
 *  nothing. */
function salt(folder: string): Buffer {
  const path = join(folder, 'trace-salt');
  const known = existsSync(path) ? readFileSync(path) : undefined;
  if (known?.length === 32) return known;
  return writing(path, 73, () => {
    const fresh = randomBytes(32);
    if (known) replacePrivate(path, fresh);
    else placePrivate(path, fresh);
    // Another run may have been quicker.
    return readFileSync(path);
  });
}

const agents = [
  'CLAUDECODE',
  'CLAUDE_CODE',
  'CURSOR_AGENT',
  'CURSOR_TRACE_ID',
  'CODEX_SANDBOX',
  'GEMINI_CLI',
  'AIDER',
  'OPENCODE',
  'CLEO_AGENT_ID',
];

function operatorOf(env: Record<string, string | undefined>): ReturnType<Ground['operator']> {
  const said = env.CLEO_OPERATOR;
  if (said === 'human' || said === 'ai' || said === 'ci') return said;
  if (env.CI && env.CI !== 'false') return 'ci';
  if (agents.some((name) => env[name])) return 'ai';
  return isatty(0) ? 'human' : 'unknown';
}

async function gitState(platform: Platform, root: string): ReturnType<Ground['git']> {
  // A process less where there is nothing to ask it.
  if (!isInCheckout(root)) return undefined;
  try {
    return await (await platform.git()).state(root);
  } catch {
    // No git, or one that does not answer: nothing to say of it.
    return undefined;
  }
}

function isInCheckout(root: string): boolean {
  for (let ctx = root; ; ctx = dirname(ctx)) {
    if (existsSync(join(ctx, '.git'))) return true;
    if (dirname(ctx) === ctx) return false;
  }
}

function look(root: string, pattern: string): { files: SeenFile[]; isCut: boolean } {
  if (!isGlob(pattern)) return { files: see(root, pattern), isCut: false };
  const fits = globMatcher(pattern);
  const paths: string[] = [];
  const folders = [globBase(pattern)];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined && looked < mostLooked; folder = folders.pop())
    for (const entry of entriesOf(join(root, folder))) {
      if (passedOver.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      looked += 1;
      // Links are not followed: they may lead anywhere, and round in a circle.
      if (entry.isDirectory()) folders.push(path);
      else if (fits(path)) paths.push(path);
    }
  paths.sort();
  const files = paths.slice(0, mostFiles).flatMap((path) => see(root, path));
  return { files: files.filter(({ kind }) => kind !== 'folder'), isCut: paths.length > mostFiles || looked >= mostLooked };
}

function existsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A name that no file can have.
    return false;
  }
}

/** Never opened here: a pipe without a writer would hold us for ever. */
function see(root: string, path: string): SeenFile[] {
  const place = join(root, path);
  try {
    const real = realpathSync(place);
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`)) return [{ path, kind: 'outside', size: 0 }];
    const found = statSync(real);
    return [{ path, kind: found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other', size: found.size }];
  } catch {
    // A link that leads nowhere or round in a circle, or something gone meanwhile.
    return existsAt(place) ? [{ path, kind: 'other', size: 0 }] : [];
  }
}

function readStart(path: string, most: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (let read = -1; read !== 0 && length < most; length += read) read = readSync(file, bytes, length, most - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** In pieces: a file may be larger than memory. */
function digest(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(Math.max(1, Math.min(fstatSync(file).size, 1 << 20)));
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read));
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

/** The first wish to end is heard; the second one gives nobody any more time; the third ends this process, as it would have without
 *  us. */
function interrupts(): { signal: AbortSignal; stop(): void } {
  const wish = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, heard);
  };
  function heard(): void {
    if (wish.signal.aborted) {
      stop();
      endAtOnce();
    } else wish.abort();
  }
  for (const signal of signals) process.on(signal, heard);
  return { signal: wish.signal, stop };
}
