import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { complaints } from '../../../test/json-schema.ts';
import { readGraph } from '../rules/workgraph-read.ts';
import { workGraphSchemaText } from './workgraph-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/workgraph.schema.json', import.meta.url), 'utf8'));

test('the published schema is the one that follows from the model', async () => {
  await expect(workGraphSchemaText()).toMatchFileSnapshot('../../../schemas/workgraph.schema.json');
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

test('a payload with everything in it complies, and we read it', () => {
  expect(complaints(published, whole)).toEqual([]);
  expect(readGraph(whole).findings).toEqual([]);
});

test.each<[string, object]>([
  ['another version', { version: 2 }],
  ['a strange section', { version: 1, add: [] }],
  ['a section that is no list', { version: 1, create: {} }],
  ['an entry without its title', { version: 1, create: [{ ref: 'a' }] }],
  ['a strange field', { version: 1, create: [{ title: 'x', status: 'done' }] }],
  ['a value that is none of the choices', { version: 1, create: [{ title: 'x', size: 'huge' }] }],
  ['criteria of another form', { version: 1, create: [{ title: 'x', acceptance: [1] }] }],
  ['a change of nothing', { version: 1, update: [{ title: 'x' }] }],
  ['an id that is none', { version: 1, delete: ['x'] }],
  ['a ref with blanks', { version: 1, create: [{ title: 'x', ref: 'a b' }] }],
])('%s does not comply, and we find it', (_, payload) => {
  expect(complaints(published, payload)).not.toEqual([]);
  expect(readGraph(payload).findings).not.toEqual([]);
});
