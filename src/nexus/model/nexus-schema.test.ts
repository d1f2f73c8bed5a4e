import { expect, test } from 'vitest';
import { findViolations } from '../../../test/json-schema.ts';
import { parseRegistry } from '../rules/nexus-registry.ts';
import { formatNexusSchema } from './nexus-schema.ts';

test('publishes the schema that follows from the model', async () => {
  await expect(formatNexusSchema()).toMatchFileSnapshot('../../../schemas/nexus.schema.json');
});

const web = { name: 'web', path: '/web', key: 'web_1', permission: 'read', registeredAt: '2026-01-01T00:00:00.000Z' };
test.each<[string, object, boolean]>([
  ['a registry', { format: 'cleo-nexus', version: 1, projects: [web] }, true],
  ['unknown fields', { format: 'cleo-nexus', version: 1, projects: [{ ...web, colour: 'red' }], more: 1 }, true],
  ['another version', { format: 'cleo-nexus', version: 2, projects: [] }, false],
  ['another format', { format: 'nexus', version: 1, projects: [] }, false],
  ['an invalid name', { format: 'cleo-nexus', version: 1, projects: [{ ...web, name: 'We b' }] }, false],
  ['an unknown permission', { format: 'cleo-nexus', version: 1, projects: [{ ...web, permission: 'all' }] }, false],
])('schema and rule agree on %s', (_, value, isGood) => {
  expect('registry' in parseRegistry(JSON.stringify(value))).toBe(isGood);
  expect(findViolations(JSON.parse(formatNexusSchema()), value).length === 0).toBe(isGood);
});
