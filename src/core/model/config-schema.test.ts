import { expect, test } from 'vitest';
import { defaultConfig, type FixedKey } from './config.ts';
import { configMeanings } from './config-meanings.ts';
import { createConfigSchema, formatConfigSchema } from './config-schema.ts';

test('the published schema is generated from the keys', async () => {
  await expect(formatConfigSchema()).toMatchFileSnapshot('../../../schemas/config.schema.json');
});

test('contains every key with its description and default', () => {
  const { properties } = createConfigSchema();
  for (const [key, fallback] of Object.entries(defaultConfig)) {
    const [group = '', name] = key.split('.');
    const node = properties?.[group];
    expect(name === undefined ? node : node?.properties?.[name]).toMatchObject({
      description: configMeanings[key as FixedKey],
      default: fallback,
    });
  }
});
