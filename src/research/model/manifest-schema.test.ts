import { readFileSync } from 'node:fs';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { complaints } from '../../../test/json-schema.ts';
import { entryProblem } from '../rules/manifest.ts';
import { ManifestEntry } from './manifest.ts';
import { manifestSchemaText } from './manifest-schema.ts';

test('the published schema is the one that follows from the model', async () => {
  await expect(manifestSchemaText()).toMatchFileSnapshot('../../../schemas/manifest.schema.json');
});

const good = {
  id: 'T002-parsers',
  file: 'docs/parsers.md',
  title: 'Parsers',
  date: '2026-01-31',
  status: 'complete',
  agent_type: 'research',
  topics: ['lexing'],
  key_findings: ['Two are fast'],
  actionable: true,
  needs_followup: [],
  linked_tasks: ['T002'],
};
const { title: _, ...untitled } = good;
const table: [string, object, boolean][] = [
  ['an entry', good, true],
  ['one that is partial and says what is left', { ...good, status: 'partial', needs_followup: ['Measure'] }, true],
  ['one that is partial and does not', { ...good, status: 'partial' }, false],
  ['one that is blocked by nothing', { ...good, status: 'blocked' }, false],
  ['no title', untitled, false],
  ['an id of another form', { ...good, id: 'parsers' }, false],
  ['a date of another form', { ...good, date: '31.1.2026' }, false],
  ['a state that is none', { ...good, status: 'done' }, false],
  ['one topic', { ...good, topics: 'lexing' }, false],
  ['a field of somebody else', { ...good, mood: 'good' }, false],
];
test.each(table)('%s: the schema and the rule agree', (_, entry, isGood) => {
  const published = JSON.parse(readFileSync(new URL('../../../schemas/manifest.schema.json', import.meta.url), 'utf8'));
  const read = safeParse(ManifestEntry, entry);
  expect(read.success && entryProblem(read.output) === undefined).toBe(isGood);
  expect(complaints(published, entry).length === 0).toBe(isGood);
});
