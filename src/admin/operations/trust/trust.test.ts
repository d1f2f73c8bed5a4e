import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PersonTerminal } from '#platform/port.ts';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from '../../../../test/app.ts';
import { updateConfig } from '../../../../test/nexus-world.ts';
import { createTempFolder } from '../../../../test/temp-folder.ts';

const writeMark = (name: string) => [process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(name)}, '')`];
const tasks = ['T001', 'gate T001 implemented by ada'];

/** Opens a project as a clone brings it: nothing in it is trusted. */
const openClone = (options: AppOptions = {}): Promise<TestApp> => openApp({ tasks, ...options, isUntrusted: true });
const verify = (app: TestApp): Promise<Json> => app.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' });
const untrusted = { success: false, error: { code: 'E_PROJECT_UNTRUSTED', exitCode: 8, fix: expect.stringMatching(/cleo trust/) } };

test('a tool of a clone runs once it is trusted, and not after it has changed', async () => {
  const app = await openClone({ config: { verification: { tools: { test: writeMark('ran') } } } });
  const refused = await verify(app);
  expect(refused).toMatchObject(untrusted);
  expect(refused.error.details).toMatchObject({ name: 'verification.tools.test', file: join(app.root, '.cleo', 'config.json') });
  expect(existsSync(join(app.root, 'ran'))).toBe(false);
  expect(await app.call('admin.trust.status')).toMatchObject({ entries: [{ name: 'verification.tools.test', state: 'new' }] });
  expect(await app.call('admin.trust', {}, asPerson)).toMatchObject({ success: true, trusted: [{ name: 'verification.tools.test' }] });
  expect(await app.call('admin.trust.status')).toMatchObject({ entries: [{ state: 'trusted' }] });
  expect(await verify(app)).toMatchObject({ success: true });
  expect(existsSync(join(app.root, 'ran'))).toBe(true);
  updateConfig(app, (config) => {
    config.verification = { tools: { test: writeMark('again') } };
  });
  const changed = await verify(app);
  expect(changed).toMatchObject(untrusted);
  expect(changed.error.details.before).toEqual(writeMark('ran'));
  expect(existsSync(join(app.root, 'again'))).toBe(false);
});

test('the detected test command of a clone needs trust', async () => {
  const app = await openClone();
  writeFileSync(
    join(app.root, '.cleo', 'project-context.json'),
    JSON.stringify({ schemaVersion: 1, languages: [], testing: { command: 'npm test', framework: 'npm', source: 'package.json' } }),
  );
  expect(await app.call('admin.trust.status')).toMatchObject({
    entries: [{ name: 'project-context.testing', value: { command: 'npm test' } }],
  });
});

test('config set trusts the value that it writes, and only that one', async () => {
  const app = await openClone({ config: { release: { gates: { lint: 'make lint' } } } });
  await app.call('admin.config.set', { key: 'verification.tools.test', value: writeMark('ran') }, asPerson);
  expect(await verify(app)).toMatchObject({ success: true });
  expect((await app.call('admin.trust.status')).entries).toMatchObject([
    { name: 'release.gates.lint', state: 'new' },
    { name: 'verification.tools.test', state: 'trusted' },
  ]);
  expect(await app.call('admin.config.unset', { key: 'verification.tools.test' }, asPerson)).toMatchObject({ success: true });
  expect((await app.call('admin.trust.status')).entries).toHaveLength(1);
});

test("a tool in the user's own file does not run, because an agent can choose that file", async () => {
  const app = await openClone();
  mkdirSync(app.env.CLEO_HOME!, { recursive: true });
  writeFileSync(join(app.env.CLEO_HOME!, 'config.json'), JSON.stringify({ verification: { tools: { test: writeMark('ran') } } }));
  expect(await verify(app)).toMatchObject({ success: false });
  expect(existsSync(join(app.root, 'ran'))).toBe(false);
});

test('a release gate of a clone does not run', async () => {
  const app = await openClone({ config: { release: { gates: { test: writeMark('ran') } } }, env: { PATH: process.env.PATH! } });
  expect(await app.call('admin.trust.status')).toMatchObject({ entries: [{ name: 'release.gates.test', state: 'new' }] });
});

test('a skill and a construct of a clone run once they are trusted, and not after a change', async () => {
  const app = await openClone({ env: { PATH: process.env.PATH! } });
  const skill = join(app.root, 'skills', 'evil', 'run');
  mkdirSync(join(app.root, 'skills', 'evil'), { recursive: true });
  writeFileSync(skill, '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  const manifest = `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\nskills: [{name: evil, phase: one, run: [sh, -c, 'touch built']}]\n`;
  writeFileSync(join(app.root, 'construct.yaml'), manifest);
  for (const call of [() => app.call('skills.run', { name: 'evil' }), () => app.call('construct.run')])
    expect(await call()).toMatchObject({ error: { exitCode: 78, details: { cleoCode: 'E_PROJECT_UNTRUSTED' } } });
  expect(['ran', 'built'].filter((name) => existsSync(join(app.root, name)))).toEqual([]);
  expect((await app.call('admin.trust', {}, asPerson)).trusted).toMatchObject([{ name: 'skills/evil' }, { name: 'construct.yaml' }]);
  expect(await app.call('construct.run')).toMatchObject({ success: true });
  expect(existsSync(join(app.root, 'built'))).toBe(true);
  writeFileSync(skill, '#!/bin/sh\ntouch other\n', { mode: 0o755 });
  expect((await app.call('skills.run', { name: 'evil' })).error.message).toContain('has changed since it was trusted');
  expect(existsSync(join(app.root, 'other'))).toBe(false);
});

test('a change of a linked folder, of a long file and behind many files is a change of the skill', async () => {
  const app = await openClone({ env: { PATH: process.env.PATH! } });
  const skill = join(app.root, 'skills', 'evil');
  mkdirSync(join(app.root, 'tools'));
  mkdirSync(join(skill, 'data'), { recursive: true });
  symlinkSync('../../tools', join(skill, 'scripts'));
  symlinkSync('..', join(skill, 'data', 'up'));
  writeFileSync(join(app.root, 'tools', 'run'), '#!/bin/sh\ntrue\n', { mode: 0o755 });
  const run = () => app.call('skills.run', { name: 'evil' });
  const trust = () => app.call('admin.trust', {}, asPerson);
  await trust();
  expect(await run()).toMatchObject({ success: true });
  writeFileSync(join(app.root, 'tools', 'run'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  expect((await run()).error.message).toContain('has changed since it was trusted');
  const long = join(skill, 'long');
  const past = new Date('2026-01-01');
  writeFileSync(long, Buffer.alloc(17 * 2 ** 20));
  utimesSync(long, past, past);
  await trust();
  writeFileSync(long, Buffer.alloc(17 * 2 ** 20, 1));
  expect((await run()).error.message).toContain('has changed since it was trusted');
  for (let i = 0; i < 2001; i++) writeFileSync(join(skill, 'data', String(i)), '');
  writeFileSync(join(skill, 'last'), 'one');
  utimesSync(join(skill, 'last'), past, past);
  await trust();
  writeFileSync(join(skill, 'last'), 'two');
  expect((await run()).error.message).toContain('has changed since it was trusted');
  expect(existsSync(join(app.root, 'ran'))).toBe(false);
});

test('a construct in another place is named in the fix', async () => {
  const app = await openClone({ env: { PATH: process.env.PATH! } });
  mkdirSync(join(app.root, 'ci'));
  const manifest = `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\nskills: [{name: x, phase: one, run: ['true']}]\n`;
  writeFileSync(join(app.root, 'ci', 'check.yaml'), manifest);
  const { error } = await app.call('construct.run', { file: 'ci/check.yaml' });
  expect(error.fix).toContain('cleo trust ci/check.yaml');
  expect(await app.call('admin.trust', { path: 'ci/check.yaml' }, asPerson)).toMatchObject({ trusted: [{ name: 'ci/check.yaml' }] });
  expect(await app.call('construct.run', { file: 'ci/check.yaml' })).toMatchObject({ success: true });
  expect(await app.call('admin.trust', { path: 'no/such' }, asPerson)).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
});

test('a setting that decides what counts is taken from a clone, and not after a change by other means', async () => {
  const app = await openClone({ config: { verification: { required: true } } });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: false, error: { exitCode: 45 } });
  updateConfig(app, (config) => {
    config.verification = { required: false };
  });
  const refused = await app.call('tasks.complete', { taskId: 'T001' });
  expect(refused).toMatchObject(untrusted);
  expect(refused.error.message).toContain('true became false');
  expect(await app.call('admin.trust.status')).toMatchObject({ changed: [{ name: 'verification.required', before: true }] });
  // Other operations do not obey it.
  expect(await app.call('tasks.add', { title: 'Write' })).toMatchObject({ success: true });
  expect(await app.call('admin.config.set', { key: 'verification.required', value: false }, asPerson)).toMatchObject({ success: true });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
});

test('lists trusted projects and forgets one', async () => {
  const app = await openClone({ config: { release: { gates: { lint: 'make lint' } } } });
  expect((await app.call('admin.trust.list'))._meta.exitCode).toBe(100);
  await app.call('admin.trust', {}, asPerson);
  expect(await app.call('admin.trust', {}, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
  expect((await app.call('admin.trust.list')).projects).toMatchObject([{ path: app.root, settings: ['release.gates.lint'] }]);
  expect(await app.call('admin.trust.remove', {}, asPerson)).toMatchObject({ success: true, path: app.root });
  expect(await app.call('admin.trust.remove', {}, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await app.call('admin.trust.status')).toMatchObject({ entries: [{ state: 'new' }] });
});

test('CLEO_TRUST allows exactly the content whose digest it is, and the log records it', async () => {
  const config = { verification: { tools: { test: writeMark('ran') } }, project: { key: 'same' } };
  const { digest } = await (await openClone({ config })).call('admin.trust.print');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  const wrong = await openClone({ config, env: { CLEO_TRUST: digest.replace(/^./, (first: string) => (first === '0' ? '1' : '0')) } });
  expect((await verify(wrong)).error.message).toContain('CLEO_TRUST is the digest of other content');
  expect(existsSync(join(wrong.root, 'ran'))).toBe(false);
  const right = await openClone({ config, env: { CLEO_TRUST: digest } });
  expect(await verify(right)).toMatchObject({ success: true });
  const { entries } = await right.call('admin.log');
  expect(JSON.stringify(entries)).toContain(`"@trust":"${digest}"`);
  for (const name of ['', 'ci']) {
    const agent = await openClone({ config, env: { CLEO_TRUST: digest, CLEO_AGENT_ID: name, CLAUDECODE: '1' } });
    expect(await verify(agent)).toMatchObject(untrusted);
    expect(await agent.call('admin.trust')).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  }
});

test('CLEO_TRUST does not allow a changed setting, which its digest does not cover', async () => {
  const app = await openClone({ config: { verification: { required: true } } });
  const { digest } = await app.call('admin.trust.print');
  const complete = async (): Promise<Json> =>
    JSON.parse((await runElsewhere({ ...app, env: { ...app.env, CLEO_TRUST: digest } }, 'complete', { words: ['T001'] })).out);
  expect(await complete()).toMatchObject({ error: { exitCode: 45 } });
  updateConfig(app, (config) => {
    config.verification = { required: false };
  });
  expect((await app.call('admin.trust.print')).digest).toBe(digest);
  const refused = await complete();
  expect(refused).toMatchObject(untrusted);
  expect(refused.error.message).toContain('CLEO_TRUST does not cover this setting');
});

const isRoot = process.geteuid?.() === 0;

test.each<[string, (root: string) => void, RegExp]>([
  ['a linked file', (root) => symlinkSync('/dev/null', join(root, '.cleo', 'reviews.jsonl')), /reviews\.jsonl is a link to \/dev\/null/],
  [
    'a world-writable configuration',
    (root) => chmodSync(join(root, '.cleo', 'config.json'), 0o666),
    /config\.json can be written by every user/,
  ],
  ['a world-writable folder', (root) => chmodSync(join(root, '.cleo'), 0o777), /\.cleo can be written by every user/],
  ...(isRoot
    ? [
        ['a folder of another user', (root: string) => chownSync(join(root, '.cleo'), 12345, 12345), /belongs to user 12345/] as [
          string,
          (root: string) => void,
          RegExp,
        ],
      ]
    : []),
])('%s is rejected until it is trusted by path', async (_, spoil, problem) => {
  const app = await openClone();
  spoil(app.root);
  const second = async (operation: string, params = {}): Promise<Json> => JSON.parse((await runElsewhere(app, operation, params)).out);
  const refused = await second('show', { words: ['T001'] });
  expect(refused).toMatchObject(untrusted);
  expect(refused.error.message).toMatch(problem);
  expect(await second('config', { words: ['set', 'verification.maxRounds', '3'] })).toMatchObject(untrusted);
  expect((await second('version')).success).toBe(true);
  expect(await app.call('admin.trust', {}, asPerson)).toMatchObject({ success: true, folder: [{ state: 'new' }] });
  expect((await second('show', { words: ['T001'] })).success).toBe(true);
});

/** Calls `trust` as a person who answers with `ask`. Returns the answer and the lines on the terminal. */
async function trustAtTerminal(app: TestApp, ask: () => string, env: Record<string, string> = {}) {
  const { createApp } = await import('../../../main.ts');
  const { dispatch } = await import('../../../dispatch/dispatch.ts');
  const { createPlatform } = await import('../../../platform/platform.ts');
  const { createTypist } = await import('../../../../test/typist.ts');
  const lines: string[] = [];
  const terminal: PersonTerminal = {
    ...createTypist(true),
    print: (line) => void lines.push(line),
    async ask(question) {
      lines.push(question);
      return ask();
    },
  };
  const platform = createPlatform({ ...app.env, CLEO_AGENT_ID: '', ...env }, app.root, '0.0.0-test');
  const other = createApp({ ...platform, loadTerminal: async () => terminal });
  const { envelope } = await dispatch(other, { operation: 'admin.trust', params: {}, gateway: 'cli' });
  await other.closeStores();
  return { envelope: envelope as Json, lines };
}

test('a person reads what it is about before the confirmation', async () => {
  const app = await openClone({ config: { release: { gates: { lint: `make ${'x'.repeat(200)}; evil` } } } });
  const refused = await trustAtTerminal(app, () => 'no');
  expect(refused.lines).toEqual([
    `Trusting ${app.root} makes cleo obey:`,
    `  release.gates.lint: "make ${'x'.repeat(200)}; evil"`,
    'trust requires a person. Type trust to confirm: ',
  ]);
  expect(refused.envelope).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  // An agent changes the file while the person reads.
  const changed = await trustAtTerminal(app, () => {
    updateConfig(app, (config) => {
      config.release = { gates: { lint: 'make evil' } };
    });
    return 'trust';
  });
  expect(changed.envelope).toMatchObject(untrusted);
  expect(changed.envelope.error.message).toContain('has changed while it was confirmed');
  expect(await app.call('admin.trust.status')).toMatchObject({ entries: [{ state: 'new' }] });
  expect((await trustAtTerminal(app, () => 'trust')).envelope).toMatchObject({ success: true, trusted: [{ value: 'make evil' }] });
  expect((await trustAtTerminal(app, () => 'no')).lines).toEqual([]);
});

test('trust asks for no proof if CLEO_TRUST is the digest of the content', async () => {
  const app = await openClone({ config: { release: { gates: { lint: 'make lint' } } } });
  const { digest } = await app.call('admin.trust.print');
  const other = await trustAtTerminal(app, () => 'no', { CLEO_TRUST: 'a'.repeat(64) });
  expect(other.envelope).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  const { lines, envelope } = await trustAtTerminal(app, () => 'no', { CLEO_TRUST: digest });
  expect(envelope).toMatchObject({ success: true });
  expect(lines).toEqual([]);
});

test('the error of an agent says to ask a person', async () => {
  const app = await openClone({ config: { verification: { tools: { test: writeMark('ran') } } } });
  const fix = 'Ask a person to run: cleo trust';
  expect((await verify(app)).error).toMatchObject({ code: 'E_PROJECT_UNTRUSTED', fix });
  expect((await app.call('admin.trust')).error).toMatchObject({ code: 'E_FORBIDDEN', fix });
  const person = await openClone({ config: { verification: { tools: { test: writeMark('ran') } } }, env: { CLEO_AGENT_ID: '' } });
  const call = { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' };
  expect((await person.call('verify.gate', call, asPerson)).error.fix).toBe('cleo trust');
  // An MCP server in the environment of a person serves agents.
  expect((await person.call('verify.gate', call, { gateway: 'cleo_mutate' })).error.fix).toBe(fix);
});

/** Runs the command in a new app: the store of `app` is open already. */
async function runElsewhere(app: TestApp, command: string, { words = [] }: { words?: string[] }): Promise<{ out: string }> {
  const { createApp } = await import('../../../main.ts');
  const { createPlatform } = await import('../../../platform/platform.ts');
  const { runWordsInApp } = await import('../../../../test/run-words.ts');
  const other = createApp(createPlatform(app.env, app.root, '0.0.0-test'));
  try {
    return await runWordsInApp(other, app.env, [command, ...words]);
  } finally {
    // A store that could not be opened cannot be closed.
    await other.closeStores().catch(() => {});
  }
}

if (isRoot)
  test('a .cleo of another user in a parent folder is not obeyed', async () => {
    const app = await openClone({ config: { verification: { tools: { test: writeMark('ran') } } } });
    const folder = join(app.root, 'shared', 'work');
    mkdirSync(folder, { recursive: true });
    for (const name of ['', 'config.json']) chownSync(join(app.root, '.cleo', name), 12345, 12345);
    const { CLEO_ROOT: _, ...env } = app.env;
    for (const command of ['list', 'add Write', 'config set verification.maxRounds 3', 'backup create', 'doctor']) {
      const [name = '', ...words] = command.split(' ');
      const { error } = JSON.parse((await runElsewhere({ ...app, env, root: folder }, name, { words })).out);
      expect([command, error?.code, error?.message]).toEqual([command, 'E_PROJECT_UNTRUSTED', expect.stringContaining('user 12345')]);
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

test('the record is private', async () => {
  const app = await openClone({ config: { release: { gates: { lint: 'make lint' } } } });
  await app.call('admin.trust', {}, asPerson);
  const folder = join(app.env.CLEO_HOME!, 'trusted');
  const { readdirSync } = await import('node:fs');
  const [name = ''] = readdirSync(folder);
  expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
  if (process.platform !== 'win32') expect(lstatSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({
    path: app.root,
    values: { 'release.gates.lint': 'make lint' },
  });
});

test('a clone with a linked .cleo writes nothing into the other project', async () => {
  const victim = await openClone();
  const before = readFileSync(join(victim.root, '.cleo', 'config.json'), 'utf8');
  const clone = createTempFolder();
  symlinkSync(join(victim.root, '.cleo'), join(clone, '.cleo'));
  const env = { ...victim.env, CLEO_ROOT: clone };
  for (const words of [
    ['add', 'x'],
    ['config', 'set', 'session.required', 'true'],
    ['init', '--detect'],
    ['backup', 'create'],
  ]) {
    const { out } = await runElsewhere({ ...victim, env, root: clone }, words[0]!, { words: words.slice(1) });
    expect(JSON.parse(out)).toMatchObject(untrusted);
  }
  expect(readFileSync(join(victim.root, '.cleo', 'config.json'), 'utf8')).toBe(before);
  expect((await victim.call('tasks.list')).tasks).toHaveLength(1);
});
