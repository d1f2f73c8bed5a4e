import { expect, test } from 'vitest';
import { configKeys } from './config.ts';
import { createConfigSchema, formatConfigSchema } from './config-schema.ts';

test('the published schema is generated from the keys', async () => {
  await expect(formatConfigSchema()).toMatchFileSnapshot('../../../schemas/config.schema.json');
});

test('contains every key with its description and default', () => {
  const { properties } = createConfigSchema();
  for (const [key, { about, default: fallback }] of Object.entries(configKeys)) {
    const [group = '', name] = key.split('.');
    const node = properties?.[group];
    expect(name === undefined ? node : node?.properties?.[name]).toMatchObject({ description: about, default: fallback });
  }
});
