import { readFileSync } from 'node:fs';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { complaints } from '../../../test/json-schema.ts';
import { layouts } from '../../../test/layouts.ts';
import { detectProject } from '../rules/detect.ts';
import { ProjectContext } from './project-context.ts';
import { projectContextSchemaText } from './project-context-schema.ts';

test('the published schema is the one that follows from the model', async () => {
  await expect(projectContextSchemaText()).toMatchFileSnapshot('../../../schemas/project-context.schema.json');
});

const published = () => JSON.parse(readFileSync(new URL('../../../schemas/project-context.schema.json', import.meta.url), 'utf8'));

test('what is detected keeps it, whatever the project is', () => {
  for (const [name, files] of layouts) {
    const texts = new Map(Object.entries(files).map(([path, text]) => [path, typeof text === 'string' ? text : JSON.stringify(text)]));
    const found = detectProject({ files: Object.keys(files), texts, above: [] });
    expect(complaints(published(), found), name).toEqual([]);
    expect(safeParse(ProjectContext, found).success, name).toBe(true);
  }
});

const good = { type: 'node', languages: [], parts: [], llmHints: [] };
test.each([
  ['the least', good, true],
  ['a type that is none', { ...good, type: 'cobol' }, false],
  ['a command of two lines', { ...good, testing: { command: 'npm test\nrm -rf .', from: 'x' } }, false],
  ['a value that nothing says', { ...good, packageManager: { name: 'npm' } }, false],
  ['a field of somebody else', { ...good, mood: 'good' }, false],
])('%s: the schema and the reader agree', (_, value, isGood) => {
  expect(safeParse(ProjectContext, value).success).toBe(isGood);
  expect(complaints(published(), value).length === 0).toBe(isGood);
});
