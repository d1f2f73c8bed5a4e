import { readFileSync } from 'node:fs';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { findViolations } from '../../../test/json-schema.ts';
import { checkEntry } from '../rules/manifest.ts';
import { ManifestEntrySchema } from './manifest.ts';
import { formatManifestSchema } from './manifest-schema.ts';

test('publishes the schema that follows from the model', async () => {
  await expect(formatManifestSchema()).toMatchFileSnapshot('../../../schemas/manifest.schema.json');
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
  ['a partial entry with followup', { ...good, status: 'partial', needs_followup: ['Measure'] }, true],
  ['a partial entry without followup', { ...good, status: 'partial' }, false],
  ['a blocked entry without followup', { ...good, status: 'blocked' }, false],
  ['no title', untitled, false],
  ['an invalid id', { ...good, id: 'parsers' }, false],
  ['an invalid date', { ...good, date: '31.1.2026' }, false],
  ['an unknown status', { ...good, status: 'done' }, false],
  ['a topic that is not a list', { ...good, topics: 'lexing' }, false],
  ['an unknown field', { ...good, mood: 'good' }, false],
];
test.each(table)('schema and rule agree on %s', (_, entry, isGood) => {
  const published = JSON.parse(readFileSync(new URL('../../../schemas/manifest.schema.json', import.meta.url), 'utf8'));
  const read = safeParse(ManifestEntrySchema, entry);
  expect(read.success && checkEntry(read.output) === undefined).toBe(isGood);
  expect(findViolations(published, entry).length === 0).toBe(isGood);
});
