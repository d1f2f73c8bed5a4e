import { expect, test } from 'vitest';
import { findSecretField } from './secret-field.ts';

const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const record = (fields: object, sets: object = {}) => ({ created: { id: 'T042' }, fields, sets });

test.each([
  ['a field', record({ description: [{ value: `use ${token}`, stamp: 's' }] }), { field: 'description', id: 'T042' }],
  ['a note', record({}, { notes: [{ key: 'k', value: { at: 'a', by: 'b', text: token } }] }), { field: 'notes', id: 'T042' }],
  ['a grade', { version: 1, grade: { note: token } }, { field: 'content' }],
  ['no secret', record({ title: [{ value: 'Rotate the token' }] }), undefined],
  ['hashes', record({}, { evidence: [{ key: 'k', value: { evidence: [{ kind: 'commit', commit: 'f'.repeat(40) }] } }] }), undefined],
  ['no record', 'text', undefined],
])('finds the field of %s', (_, input, expected) => expect(findSecretField(input)).toEqual(expected));
