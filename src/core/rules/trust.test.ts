import { expect, test } from 'vitest';
import { locatesStore } from '../model/config.ts';
import type { TrustRecord } from '../model/trust.ts';
import {
  describeUntrusted,
  findPolicyChanges,
  findUntrusted,
  isRecorded,
  listFolderProblems,
  listPolicyGroups,
  listTrustedOwners,
  needsTrust,
  parseTrustRecord,
  selectPolicy,
  toDigestText,
} from './trust.ts';

test.each([
  ['store.url', true, true],
  ['store.listenUrl', true, true],
  ['server.url', true, true],
  ['server.ca.file', true, true],
  ['verification.tools.test', true, false],
  ['release.gates.lint', true, false],
  ['work.command', true, false],
  ['profiles.fast.model', true, false],
  ['orchestrate.showCommand', true, false],
  ['orchestrate.outputDir', false, false],
  ['store.engine', false, true],
  ['store.durability', false, false],
  ['store.urls', false, false],
  ['verification.required', false, false],
  ['serve.port', false, false],
  ['workgraph.size', false, false],
])('%s needs trust: %s, locates the store: %s', (key, expected, isLocation) => {
  expect([needsTrust(key), locatesStore(key)]).toEqual([expected, isLocation]);
});

test.each([
  ['verification.required', true],
  ['verification.tools.lint', true],
  ['session.required', true],
  ['serve.requireToken', true],
  ['hierarchy.maxSiblings', false],
  ['lifecycleEnforcement.mode', false],
  ['docs.types', false],
  ['context.warningPercent', false],
])('%s is recorded when it is written: %s', (key, expected) => expect(isRecorded(key)).toBe(expected));

const record: TrustRecord = {
  version: 1,
  path: '/p',
  trustedAt: '2026-01-01T00:00:00.000Z',
  trustedBy: 'ada',
  folder: [],
  values: { 'store.url': 'postgres://a/x', 'verification.tools.test': ['npm', 'test'] },
  files: { 'construct.yaml': 'a'.repeat(64) },
};

test('the policy of a group leaves out the settings that need trust by themselves', () => {
  const values = {
    'verification.required': true,
    'verification.tools.test': ['npm'],
    'store.url': 'x',
    'store.durability': 'full',
    'docs.types': [],
  };
  expect(Object.keys(selectPolicy(values, ['verification.', 'store.']))).toEqual(['verification.required', 'store.durability']);
});

test('finds new and changed items, by value and not by the order of keys', () => {
  const file = '/p/.cleo/config.json';
  const setting = (name: string, value: unknown) => ({ name, value, file, kind: 'setting' as const });
  expect(findUntrusted([setting('store.url', 'postgres://a/x')], record)).toEqual([]);
  expect(findUntrusted([setting('store.url', 'postgres://b/x')], record)).toMatchObject([{ state: 'changed', before: 'postgres://a/x' }]);
  expect(findUntrusted([setting('release.gates.test', 'make')], record)).toMatchObject([{ state: 'new' }]);
  expect(findUntrusted([setting('store.url', 'postgres://a/x')], undefined)).toMatchObject([{ state: 'new' }]);
  // A name of the prototype is not a trusted value.
  expect(findUntrusted([setting('constructor', 'x')], record)).toMatchObject([{ state: 'new' }]);
  const program = { name: 'construct.yaml', value: 'b'.repeat(64), file: '/p/construct.yaml', kind: 'file' as const };
  expect(findUntrusted([program], record)).toMatchObject([{ state: 'changed' }]);
  expect(findUntrusted([{ ...program, value: 'a'.repeat(64) }], record)).toEqual([]);
});

test.each([
  ['its own file', { uid: 1000, mode: 0o100644 }, [1000, 0], []],
  ['a file of root', { uid: 0, mode: 0o100644 }, [1000, 0], []],
  ['a file of another user', { uid: 1001, mode: 0o100644 }, [1000, 0], ['x belongs to user 1001']],
  ['a file that the group can write', { uid: 1000, mode: 0o100664 }, [1000, 0], []],
  ['a file that every user can write', { uid: 1000, mode: 0o100666 }, [1000, 0], ['x can be written by every user']],
  ['a link, whatever its mode', { uid: 1000, mode: 0o120777, link: '/y' }, [1000, 0], ['x is a link to /y']],
  ['a file system without modes', { uid: 1001 }, [1000, 0], ['x belongs to user 1001']],
  ['a system without owners', { uid: 0, mode: 0o100666 }, undefined, []],
  ['a link on a system without owners', { uid: 0, link: '/y' }, undefined, ['x is a link to /y']],
])('judges %s', (_, entry, uids, expected) => expect(listFolderProblems({ name: 'x', ...entry }, uids)).toEqual(expected));

test.each([
  [1000, undefined, [1000, 0]],
  [1000, '1001', [1000, 0]],
  [0, undefined, [0, 0]],
  [0, '1001', [0, 0, 1001]],
  [0, '-1', [0, 0]],
  [undefined, '1001', undefined],
])('user %s with SUDO_UID=%s obeys the files of %j', (uid, sudoUid, expected) => expect(listTrustedOwners(uid, sudoUid)).toEqual(expected));

test.each([
  ['verify.gate', 'verification.required', true],
  ['tasks.complete', 'verification.gates', true],
  ['memory.confirm', 'decide.proof', true],
  ['tasks.add', 'verification.required', false],
  ['tasks.show', 'verification.required', false],
  ['session.start', 'session.required', true],
  ['release.ship', 'release.gateTimeoutSeconds', true],
])('%s obeys %s: %s', (operation, key, expected) =>
  expect(Object.keys(selectPolicy({ [key]: 1 }, listPolicyGroups(operation)))).toEqual(expected ? [key] : []),
);

test('compares settings with those that were recorded, removed ones included', () => {
  const before = { 'verification.required': true, 'verification.maxRounds': 3 };
  expect(findPolicyChanges(before, before, 'f')).toEqual([]);
  expect(findPolicyChanges({ 'verification.maxRounds': 3 }, before, 'f')).toMatchObject([{ name: 'verification.required', before: true }]);
  expect(findPolicyChanges({ ...before, 'verification.allowNotes': true }, before, 'f')).toMatchObject([{ value: true }]);
});

test('the digest depends on names, values and problems, and not on their order', () => {
  const one = { name: 'a', value: 1, file: '/p/f', kind: 'setting' as const };
  const two = { name: 'b', value: 2, file: '/p/f', kind: 'file' as const };
  expect(toDigestText([one, two], ['x', 'y'])).toBe(toDigestText([two, { ...one, file: '/other' }], ['y', 'x']));
  const texts = [[one], [two], [one, two], [{ ...one, value: 2 }], [{ ...one, kind: 'file' as const }]].map((items) =>
    toDigestText(items, []),
  );
  expect(new Set([...texts, toDigestText([one], ['x'])]).size).toBe(6);
});

test.each([
  ['no object', 'text'],
  ['another version', { ...record, version: 2 }],
  ['another path', { ...record, path: '/q' }],
  ['no values', { ...record, values: undefined }],
  ['a list as policy', { ...record, policy: [] }],
])('a record with %s trusts nothing', (_, value) => expect(parseTrustRecord(value, '/p')).toBeUndefined());

test('a message is one short line without control characters', () => {
  const change = { name: 'store.url', file: '/p/.cleo/config.json', kind: 'setting' as const, state: 'new' as const };
  expect(describeUntrusted({ ...change, value: 'postgres://db/x' })).toBe(
    'store.url in /p/.cleo/config.json is not trusted: "postgres://db/x"',
  );
  const hostile = describeUntrusted({ ...change, value: `a\u001b[2J\u202e\u{e0041}\u200b${'x'.repeat(5000)}` });
  expect(hostile.length).toBeLessThan(260);
  expect(hostile).not.toMatch(/[^\x20-\x7e…]/);
});
