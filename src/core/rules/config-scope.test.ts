import { expect, test } from 'vitest';
import { defaultConfig, openGroups } from '../model/config.ts';
import { getConfigScope } from './config-scope.ts';

/** The keys of the table in spec 14.2 that agents may change. */
const open = [
  'lifecycleEnforcement.mode',
  'hierarchy.maxSiblings',
  'hierarchy.autoCompleteParents',
  'context.warningPercent',
  'context.cautionPercent',
  'context.criticalPercent',
  'context.emergencyPercent',
  'context.staleMinutes',
  'docs.types',
];

test.each(Object.keys(defaultConfig))('%s has the scope of the table', (key) => {
  expect(getConfigScope(key)).toBe(open.includes(key) ? 'mutate' : 'admin');
});

test.each([...Object.keys(openGroups).map((group) => `${group}.x`), 'a.new.key', 'hierarchy', 'docs.types.x', 'lifecycleEnforcement'])(
  '%s is closed to agents',
  (key) => expect(getConfigScope(key)).toBe('admin'),
);
