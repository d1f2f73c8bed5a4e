import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeParams } from '../../src/core/command-line.ts';
import { registry } from '../../src/core/index.generated.ts';
import { asPerson, type Json, openApp, type TestApp } from '../app.ts';
import { needsPerson } from '../person-token.ts';
import { checkReply } from './check-reply.ts';
import { hostileTexts, hostileValues, tenMegabytes } from './hostile-values.ts';
import { isFull, pickSize } from './processes.ts';

const ids = ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 done', 'T005 active by tester'];

// The projects are in a folder of their own, so that writes outside a project are noticed.
let outside: string;
beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'cleo-hostile-'));
  vi.stubEnv('TMPDIR', outside);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(outside, { recursive: true, force: true });
});

for (const [turn, entry] of registry.entries.entries())
  test(`${entry.name}: accepts or rejects every parameter value with an error code`, async () => {
    const operation = await entry.load();
    const { params, example } = operation;
    // An agent would be rejected before its values are read.
    const caller = needsPerson(operation) ? asPerson : {};
    const tasks = example.world?.length ? example.world : ids;
    // Operations that change the app get a new project per call, other writes per parameter.
    const isFresh = entry.name.startsWith('admin.') && entry.kind !== 'query';
    // The short form distributes the values among the parameters and operations.
    const isSkipped = (i: number, place = 0): boolean => !isFull && (i + place + turn) % 14 !== 0;
    let app = await openApp({ tasks, engine: 'sqlite' });
    const described = describeParams(params);
    // A call that waits for work would end only when there is some.
    const bound = described.some(({ name }) => name === 'wait') ? { timeout: 0 } : {};
    for (const [place, { name, type }] of described.entries()) {
      if (entry.kind !== 'query') app = await openApp({ tasks, engine: 'sqlite' });
      const hostile = { ...hostileTexts, ...hostileValues, ...(place === 0 ? { 'ten megabytes': tenMegabytes } : {}) };
      for (const [i, [kind, value]] of Object.entries(hostile).entries()) {
        if (isSkipped(i, place)) continue;
        if (isFresh) app = await openApp({ tasks, engine: 'sqlite' });
        const given = type === 'list' && typeof value === 'string' ? [value] : value;
        const what = `${entry.name} ${name}: ${kind}`;
        const began = performance.now();
        checkReply(await app.reply(entry.name, { ...example.call, ...bound, [name]: given }, caller), what);
        expect(performance.now() - began, what).toBeLessThan(10_000);
      }
    }
    for (const [i, [kind, name]] of Object.entries(hostileTexts).entries()) {
      if (isSkipped(i)) continue;
      const call = Object.assign(JSON.parse(`{${JSON.stringify(name)}:1}`), example.call);
      checkReply(await app.reply(entry.name, call, caller), `${entry.name}, a parameter called ${kind}`);
    }
    for (const [i, [kind, value]] of Object.entries(hostileValues).entries())
      if (!isSkipped(i)) checkReply(await app.reply(entry.name, value as never, caller), `${entry.name} of ${kind}`);
    expect(readdirSync(outside).filter((name) => !/^cleo-(test|template)-/.test(name))).toEqual([]);
    expect(existsSync('pwned')).toBe(false);
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });

test('rejects missing and invalid operations, agents, sessions and keys', async () => {
  const { reply } = await openApp({ tasks: ids, engine: 'sqlite' });
  for (const [kind, text] of Object.entries({ ...hostileTexts, 'ten megabytes': tenMegabytes })) {
    checkReply(await reply(text), `operation ${kind}`);
    checkReply(await reply('tasks.add', { title: 'x' }, { agent: text }), `agent ${kind}`);
    checkReply(await reply('tasks.add', { title: 'x' }, { session: text }), `session ${kind}`);
    checkReply(await reply('tasks.add', { title: 'x' }, { idempotencyKey: text }), `key ${kind}`);
    checkReply(await reply('session.status', {}, { session: text, agent: text }), `status of ${kind}`);
    checkReply(await reply('session.end', {}, { session: text }), `end of ${kind}`);
    checkReply(await reply('session.start', { scope: 'global', autoFocus: true }, { agent: text }), `start by ${kind}`);
    checkReply(await reply('session.safestop', {}, { agent: text, session: text }), `safestop by ${kind}`);
  }
});

test('accepts or rejects hostile environment variables with an error code', async () => {
  for (const [kind, text] of Object.entries(hostileTexts))
    for (const name of ['CLEO_SESSION_ID', 'CLEO_AGENT_ID', 'CLEO_SESSION_GRADE_ID']) {
      const { reply } = await openApp({ tasks: ids, engine: 'sqlite', env: { CLEO_SESSION_GRADE: 'true', [name]: text } });
      const what = `${name} ${kind}`;
      for (const [operation, params] of [
        ['session.start', { scope: 'epic:T001', autoFocus: true }],
        ['tasks.show', { taskId: 'T002' }],
        ['session.end', {}],
      ] as const)
        checkReply(await reply(operation, params), `${operation}, ${what}`);
    }
});

for (const field of ['name', 'note'])
  test(`the ${field} of a session is returned unchanged or rejected with exit code 6`, async () => {
    const { reply, call } = await openApp({ engine: 'sqlite' });
    for (const [kind, text] of Object.entries(hostileTexts)) {
      const started = await reply('session.start', { scope: 'global', autoFocus: true, ...(field === 'name' ? { name: text } : {}) });
      checkReply(started, `${field} ${kind}`);
      if (started.exitCode !== 0) {
        expect([kind, started.exitCode]).toEqual([kind, 6]);
        continue;
      }
      const { id } = started.envelope.session as Json;
      const ended = await reply('session.end', field === 'note' ? { note: text } : {});
      checkReply(ended, `${field} ${kind}`);
      if (ended.exitCode !== 0) expect([kind, ended.exitCode, (await reply('session.end')).exitCode]).toEqual([kind, 6, 0]);
      else
        expect([kind, (await call('session.show', { sessionId: id })).session[field]]).toEqual([
          kind,
          field === 'name' ? text.trim() : text,
        ]);
    }
  });

/** The path of each text field in `show`, and how it is trimmed. */
const places: Record<string, { given(text: string): unknown; shown(task: Json): unknown; isTrimmed?: true }> = {
  title: { given: (text) => text, shown: (task) => task.title, isTrimmed: true },
  description: { given: (text) => text, shown: (task) => task.description ?? '' },
  notes: { given: (text) => text, shown: (task) => task.notes?.at(-1).text },
  phase: { given: (text) => text, shown: (task) => task.phase, isTrimmed: true },
  labels: { given: (text) => [text], shown: (task) => task.labels?.[0] },
  files: { given: (text) => [text], shown: (task) => task.files?.[0] },
  acceptance: { given: (text) => [text], shown: (task) => task.acceptance?.[0].text, isTrimmed: true },
};

async function checkRoundTrip({ reply, call }: TestApp, field: string, text: string): Promise<void> {
  const { given, shown, isTrimmed } = places[field]!;
  const added = await reply('tasks.add', { title: 'A task', [field]: given(text) });
  checkReply(added, field);
  if (added.exitCode !== 0) {
    expect(added.exitCode).toBe(6);
    return;
  }
  const { task } = await call('tasks.show', { taskId: (added.envelope.task as Json).id });
  expect(shown(task)).toBe(isTrimmed ? text.trim() : text);
}

for (const field of Object.keys(places))
  test(`${field}: any text is returned unchanged or rejected with exit code 6`, async () => {
    const app = await openApp({ engine: 'sqlite' });
    for (const text of Object.values(hostileTexts)) await checkRoundTrip(app, field, text);
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('\ud800', '\udfff', '\0', 'a', '\u0301', '\u202e', '"', "'", '\\', '\n'), maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(any, (text) => checkRoundTrip(app, field, text)),
      { numRuns: pickSize(60, 3000) },
    );
  });
