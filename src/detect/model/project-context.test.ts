import { readFileSync } from 'node:fs';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { createJsonSchema } from '#core/model/json-schema.ts';
import { findViolations } from '../../../test/json-schema.ts';
import { layouts } from '../../../test/project-layouts.ts';
import { detectProject } from '../rules/detect.ts';
import { ProjectContextSchema } from './project-context.ts';

test('publishes the schema of the model', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO project context',
    description: 'Written by cleo init --detect: the ecosystem of a project, its test command and hints for agents',
    ...createJsonSchema(ProjectContextSchema),
  };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../../schemas/project-context.schema.json');
});

const published = () => JSON.parse(readFileSync(new URL('../../../schemas/project-context.schema.json', import.meta.url), 'utf8'));

test('matches the schema for every layout', () => {
  for (const [name, files] of layouts) {
    const texts = new Map(Object.entries(files).map(([path, text]) => [path, typeof text === 'string' ? text : JSON.stringify(text)]));
    const found = detectProject({ files: Object.keys(files), texts, above: [] });
    expect(findViolations(published(), found), name).toEqual([]);
    expect(safeParse(ProjectContextSchema, found).success, name).toBe(true);
  }
});

const valid = { type: 'node', languages: [], parts: [], llmHints: [] };
test.each([
  ['the minimum', valid, true],
  ['an unknown type', { ...valid, type: 'cobol' }, false],
  ['a command of two lines', { ...valid, testing: { command: 'npm test\nrm -rf .', from: 'x' } }, false],
  ['a value without a source', { ...valid, packageManager: { name: 'npm' } }, false],
  ['an unknown field', { ...valid, mood: 'good' }, false],
])('%s: schema and reader agree', (_, value, isValid) => {
  expect(safeParse(ProjectContextSchema, value).success).toBe(isValid);
  expect(findViolations(published(), value).length === 0).toBe(isValid);
});
