import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { type App, type Call, dispatch, type Reply } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { loadSqliteDriver } from '../src/store/dialects/sqlite-driver.ts';
import { createSqlite } from '../src/store/dialects/sqlite-schema.ts';
import type { ReadStore, Store } from '../src/store/port/store.ts';
import { findStaleRanks } from '../src/tasks/rules/all-ranks.ts';
import { checkErrorCalls } from './declared-errors.ts';
import { writeTraces } from './execution-trace.ts';
import { addFolder } from './fixes/folders.ts';
import { guardApp } from './fixes/guard.ts';
import { endFolder, endTimeoutMs, recordOutput } from './fixes/record.ts';
import { registerProjects } from './nexus-projects.ts';
import { borrowSchema } from './postgres-schemas.ts';
import { writeRuns } from './run-files.ts';
import { runWordsInApp } from './run-words.ts';
import { writeConstruct } from './samples.ts';
import { trustOnUse } from './trust-on-use.ts';
import { createTypist } from './typist.ts';
import { buildWorld } from './world.ts';

export interface AppOptions {
  /** The initial state, one item a line; see `buildWorld`, `writeManifest`, `writeRuns`, `registerProjects`, `writeTraces` and
   *  `writeConstruct`. */
  tasks?: string[];
  config?: Record<string, unknown>;
  agent?: string;
  env?: Record<string, string>;
  /** A clock that the test can move. Random numbers are then the same every time. */
  clock?: { now: string };
  engine?: 'sqlite' | 'postgres';
  /** Keeps the checks of trust. Otherwise the project trusts what the test wrote, as if a person had called `cleo trust`. */
  isUntrusted?: true;
  /** A person uses the terminal, and no agent is named. */
  isAtTerminal?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read success and error envelopes of many shapes
export type Json = Record<string, any>;

export interface TestApp {
  root: string;
  store: Store;
  env: Record<string, string>;
  call(operation: string, params?: Record<string, unknown>, more?: Partial<Call>): Promise<Json>;
  reply(operation: string, params?: Record<string, unknown>, more?: Partial<Call>): Promise<Reply>;
  /** The same project, called by another agent. */
  as(agent: string): Pick<TestApp, 'call' | 'reply'>;
  /** Runs a command line in this process: a list of words, or one text as in `error.fix`. With `asPerson` a person types it. */
  cli(words: string | string[], caller?: typeof asPerson): Promise<{ exitCode: number; out: string; envelope: Json }>;
  /** Runs statements directly on the database, with its checks switched off. */
  tamper(statements: string): Promise<void>;
  /** Opens a second connection to the store, as another process would. */
  openSecondStore(): Promise<Store>;
  /** Ends the project before the test does, for tests that open hundreds of them. */
  close(): Promise<void>;
}

/** Makes a call in the name of a person, who may do everything: `app.call('admin.config.set', params, asPerson)`. */
export const asPerson = { token: { name: 'ada', scope: 'admin' } } as const satisfies Partial<Call>;

/** The bytes of an empty store, which is created once per process. */
let emptyStore: Buffer | undefined;

/** Creates a project in a temporary folder, on the engine of this test run. It is removed when the test ends. Every error
 *  is checked; see `guardApp`. */
export async function openApp(options: AppOptions = {}): Promise<TestApp> {
  const engine = options.engine ?? (process.env.CLEO_TEST_ENGINE as AppOptions['engine']) ?? 'sqlite';
  const root = mkdtempSync(join(tmpdir(), 'cleo-test-'));
  addFolder(root);
  mkdirSync(join(root, '.cleo'), { mode: 0o700 });
  const schema = engine === 'postgres' ? await borrowSchema(inject('databaseUrl')) : undefined;
  const key = schema?.key ?? `t${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  // Test projects need not survive a power failure, and syncing thousands of them takes long.
  const storeConfig = { durability: 'normal', ...(options.config?.store as object | undefined) };
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ ...options.config, store: storeConfig, project: { key } }));
  const env: Record<string, string> = {
    CLEO_HOME: join(root, 'home'),
    CLEO_ROOT: root,
    CLEO_AGENT_ID: options.agent ?? 'tester',
    ...options.env,
  };
  if (engine === 'postgres') env.CLEO_DATABASE_URL = inject('databaseUrl');
  if (!schema) await createSqliteStore(root);

  const createAgentApp = (agent?: string, isPerson = false) => {
    const ownEnv = { ...env, ...(agent === undefined ? {} : { CLEO_AGENT_ID: agent }) };
    const platform = createPlatform(ownEnv, root, '0.0.0-test');
    // Each agent of a test has a client process of its own.
    const client = { client: 'test', pid: 1, startTime: '1', key: `test/${ownEnv.CLEO_AGENT_ID}` };
    const findClientProcess = platform.identity.kind === 'named' ? { findClientProcess: () => client } : {};
    const isAtTerminal = isPerson || (options.isAtTerminal === true && agent === undefined);
    const created = createApp({
      ...platform,
      ...(options.clock ? { now: () => options.clock!.now, randomHex: nextHex } : {}),
      loadProcesses: async () => ({ ...(await platform.loadProcesses()), ...findClientProcess }),
      loadTerminal: async () => createTypist(isAtTerminal),
      ...(options.isUntrusted ? {} : { loadTrust: async () => trustOnUse(await platform.loadTrust()) }),
    });
    return guardApp(created, () => ({ env: ownEnv, folder: root, isAtTerminal, ...(options.clock ? { now: options.clock.now } : {}) }));
  };
  let hexCount = 0;
  const nextHex = (length: number): string => (++hexCount).toString(16).padStart(length, '0');
  const app = createAgentApp();
  const store = await app.openStore('write');
  const createCalls = (agent?: string): Pick<TestApp, 'call' | 'reply'> => {
    const caller = agent ? { ...createAgentApp(agent), openStore: app.openStore, closeStores: app.closeStores } : app;
    const reply: TestApp['reply'] = async (operation, params = {}, more = {}) => {
      const call: Call = { operation, params, gateway: 'cli', ...more };
      // A token names the caller.
      if (agent && more.token) call.token = { ...more.token, name: agent };
      const answer = await dispatch(caller, call);
      await checkErrorCalls(caller, call, answer);
      return answer;
    };
    return { reply, call: async (...args) => (await reply(...args)).envelope };
  };
  const isResearch = (line: string): boolean => line.startsWith('research ');
  const isProject = (line: string): boolean => line.startsWith('nexus ');
  const isExecution = (line: string): boolean => /^(run|judged) /.test(line);
  const isConstruct = (line: string): boolean => line === 'construct';
  const isTrace = (line: string): boolean => /^(trace|review) /.test(line);
  await buildWorld(
    store,
    (options.tasks ?? []).filter((line) => ![isResearch, isProject, isExecution, isTrace, isConstruct].some((is) => is(line))),
  );
  if (options.tasks?.some(isConstruct)) writeConstruct(root);
  writeTraces(root, (options.tasks ?? []).filter(isExecution));
  writeManifest(root, (options.tasks ?? []).filter(isResearch));
  writeRuns(join(root, '.cleo'), (options.tasks ?? []).filter(isTrace));
  await registerProjects(root, env.CLEO_HOME ?? '', key, (options.tasks ?? []).filter(isProject));
  let isIntact = true;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    if (isIntact) await checkRanks(store);
    await app.closeStores();
    schema?.release(isIntact);
    rmSync(root, { recursive: true, force: true });
    await endFolder(root);
  };
  onTestFinished(close, endTimeoutMs);
  const tamper = (statements: string): Promise<void> => {
    isIntact = false;
    return schema ? tamperPostgres(env.CLEO_DATABASE_URL ?? '', key, statements) : tamperSqlite(root, statements);
  };
  return {
    root,
    store,
    env,
    ...createCalls(),
    as: createCalls,
    cli: createCli(app, env, () => ({ ...createAgentApp('', true), openStore: app.openStore, closeStores: app.closeStores })),
    tamper,
    openSecondStore: () => createAgentApp('second').openStore('write').then(closeAtEnd),
    close,
  };
}

/** Every test ends with ranks that a computation from the tasks gives too. A store that the test moved or removed is not checked. */
async function checkRanks(store: Store): Promise<void> {
  const read = async ({ ranks, tasks }: ReadStore) => findStaleRanks(await ranks.listAll(), await tasks.getOpenGraph());
  const stale = await store.read(read).catch(() => []);
  if (stale.length > 0) throw new Error(`the ranks of ${stale.join(', ')} are outdated`);
}

/** `research T001-parsers partial: Title` is an entry of the research manifest, linked to the task in its id. */
function writeManifest(root: string, lines: string[]): void {
  if (lines.length === 0) return;
  const entries = lines.map((line) => {
    const [head = '', title] = line.split(/:\s+(.*)/s);
    const [, id = '', status = 'complete'] = head.trim().split(/\s+/);
    const needs_followup = status === 'complete' ? [] : ['The rest'];
    const lists = { topics: [], key_findings: [], actionable: true, needs_followup, linked_tasks: [id.split('-')[0]] };
    return { id, file: `docs/${id}.md`, title: title ?? id, date: '2026-01-01', status, agent_type: 'research', ...lists };
  });
  mkdirSync(join(root, '.cleo', 'research'));
  writeFileSync(join(root, '.cleo', 'research', 'MANIFEST.jsonl'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

/** Runs command lines of the app in this process. */
export function createCli(app: App, env: Record<string, string>, openPersonApp?: () => App): TestApp['cli'] {
  return async (words, caller) => {
    // A person runs the command that an agent was told to ask for.
    const argv = typeof words === 'string' ? splitShellWords(caller ? words.replace('Ask a person to run: ', '') : words).slice(1) : words;
    const result = await runWordsInApp((caller && openPersonApp?.()) ?? app, env, argv);
    // Words that name no operation do not reach dispatch.
    const own = caller ? { env: { ...env, CLEO_AGENT_ID: '' }, isAtTerminal: true } : { env };
    recordOutput(argv, { ...own, folder: app.platform.folder }, result.out);
    return result;
  };
}

function closeAtEnd(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}

/** Splits a command line into words as a POSIX shell does. */
export function splitShellWords(line: string): string[] {
  return execFileSync('bash', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** As a user who may write the database file can do. */
const dropAuditTriggers = [
  'audit_log_kept',
  'audit_log_fixed',
  'audit_log_not_replaced',
  'audit_head_kept',
  'audit_head_not_replaced',
  'audit_head_advances',
]
  .map((name) => `drop trigger if exists ${name};`)
  .join(' ');

export async function tamperSqlite(root: string, statements: string): Promise<void> {
  const database = new (loadSqliteDriver().DatabaseSync)(join(root, '.cleo', 'cleo.db'), { timeout: 5000 });
  database.exec(`pragma foreign_keys = off; ${dropAuditTriggers} ${statements}`);
  database.close();
}

async function tamperPostgres(url: string, key: string, statements: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  // Settings of a session stay with the connection of a pooler, and would disable the foreign keys of other tests.
  const settings = `set local search_path to "cleo_${key}", public; set local session_replication_role = replica`;
  await client.unsafe(`begin; ${settings}; ${statements}; commit`);
  await client.end({ timeout: 5 });
}

async function createSqliteStore(root: string): Promise<void> {
  const path = join(root, '.cleo', 'cleo.db');
  if (emptyStore) return writeFileSync(path, emptyStore, { mode: 0o600 });
  await createSqlite(path, '2026-01-01T00:00:00.000Z');
  emptyStore = readFileSync(path);
}
