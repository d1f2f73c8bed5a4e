import { expect, test } from 'vitest';
import { isSharedSetting, parseSharedSettings } from './shared-settings.ts';

test.each([
  ['claims.ttlMinutes', true],
  ['hierarchy.maxSiblings', true],
  ['session.required', true],
  ['verification.tools.test', true],
  ['work.agents', true],
  ['grade.nudge', false],
  ['store.url', false],
  ['decide.proof', false],
  ['claimsX', false],
])('%s is policy of the project: %s', (key, isShared) => {
  expect(isSharedSetting(key)).toBe(isShared);
});

test.each([
  ['a valid value', { key: 'claims.ttlMinutes', value: '60' }, { 'claims.ttlMinutes': 60 }],
  ['a value of another type', { key: 'claims.ttlMinutes', value: '"60"' }, {}],
  ['a key of a newer version', { key: 'claims.colour', value: '"red"' }, {}],
  ['a setting that is not policy', { key: 'grade.nudge', value: 'true' }, {}],
  ['text that is not JSON', { key: 'session.required', value: 'true!' }, {}],
])('%s of the store', (_, row, expected) => {
  expect(parseSharedSettings([row])).toEqual(expected);
});
