import { expect, test } from 'vitest';
import { complaints } from '../../../test/json-schema.ts';
import { readRegistry } from '../rules/nexus-registry.ts';
import { nexusSchemaText } from './nexus-schema.ts';

test('the published schema is the one that follows from the model', async () => {
  await expect(nexusSchemaText()).toMatchFileSnapshot('../../../schemas/nexus.schema.json');
});

const web = { name: 'web', path: '/web', key: 'web_1', permission: 'read', registeredAt: '2026-01-01T00:00:00.000Z' };
test.each<[string, object, boolean]>([
  ['a registry', { format: 'cleo-nexus', version: 1, projects: [web] }, true],
  ['fields of others', { format: 'cleo-nexus', version: 1, projects: [{ ...web, colour: 'red' }], more: 1 }, true],
  ['another version', { format: 'cleo-nexus', version: 2, projects: [] }, false],
  ['another format', { format: 'nexus', version: 1, projects: [] }, false],
  ['a name that is none', { format: 'cleo-nexus', version: 1, projects: [{ ...web, name: 'We b' }] }, false],
  ['a permission that is none', { format: 'cleo-nexus', version: 1, projects: [{ ...web, permission: 'all' }] }, false],
])('%s: the schema and the rule agree', (_, value, isGood) => {
  expect('registry' in readRegistry(JSON.stringify(value))).toBe(isGood);
  expect(complaints(JSON.parse(nexusSchemaText()), value).length === 0).toBe(isGood);
});
