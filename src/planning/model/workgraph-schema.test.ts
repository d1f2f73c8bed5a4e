import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findViolations } from '../../../test/json-schema.ts';
import { parseGraph } from '../rules/workgraph-parse.ts';
import { formatWorkGraphSchema } from './workgraph-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/workgraph.schema.json', import.meta.url), 'utf8'));

test('the published schema matches the model', async () => {
  await expect(formatWorkGraphSchema()).toMatchFileSnapshot('../../../schemas/workgraph.schema.json');
});

const whole = {
  $schema: './workgraph.schema.json',
  version: 1,
  create: [
    { ref: 'a', type: 'epic', title: 'Parser', priority: 'high', size: 'large', labels: ['x'], phase: 'core', files: ['a.ts'], notes: 'n' },
    { title: 'Read', parent: 'a', depends: ['T1', 'a'], acceptance: ['reads', { kind: 'evidence_bound', gate: 'qaPassed' }] },
  ],
  update: [{ id: 'T001', title: 'New', parent: 'none', addDepends: ['a'], removeDepends: ['T2'], reason: 'r', expectRevision: 3 }],
  delete: ['T2'],
  relations: [
    { from: 'a', to: 'T3', type: 'related', reason: 'r' },
    { from: 'T3', to: 'T4', remove: true },
  ],
};

test('schema and parser accept a payload that uses every field', () => {
  expect(findViolations(published, whole)).toEqual([]);
  expect(parseGraph(whole).findings).toEqual([]);
});

test.each<[string, object]>([
  ['another version', { version: 2 }],
  ['an unknown section', { version: 1, add: [] }],
  ['a section that is not a list', { version: 1, create: {} }],
  ['an entry without a title', { version: 1, create: [{ ref: 'a' }] }],
  ['an unknown field', { version: 1, create: [{ title: 'x', status: 'done' }] }],
  ['an unknown value', { version: 1, create: [{ title: 'x', size: 'huge' }] }],
  ['invalid criteria', { version: 1, create: [{ title: 'x', acceptance: [1] }] }],
  ['an update without an id', { version: 1, update: [{ title: 'x' }] }],
  ['an invalid id', { version: 1, delete: ['x y'] }],
  ['a ref with spaces', { version: 1, create: [{ title: 'x', ref: 'a b' }] }],
])('schema and parser reject %s', (_, payload) => {
  expect(findViolations(published, payload)).not.toEqual([]);
  expect(parseGraph(payload).findings).not.toEqual([]);
});
