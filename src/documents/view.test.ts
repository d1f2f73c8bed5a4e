import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { documentView } from './view.ts';

const render = renderWith(documentView);

const doc = { slug: 'parsers', type: 'note', title: 'Which parsers there are', version: 2, size: 2048, tasks: ['T001', 'T002'] };
const stale = [{ id: 'D-001', supersededBy: 'D-002' }];

test('draws a document with slug, title and metadata', async () => {
  expect(await render({ doc: { ...doc, versions: 3, file: 'docs/a.md', stale } })).toBe(`parsers
  Which parsers there are
  note · version 2 of 3 · 2.0 KiB · T001, T002 · docs/a.md
  cites D-001, which was superseded by D-002
`);
});

test('draws documents as a table', async () => {
  const docs = [
    { ...doc, updatedAt: '2025-12-31T21:00:00.000Z' },
    { ...doc, slug: 'plan', tasks: [], stale, updatedAt: '2025-12-31T23:59:59.000Z' },
  ];
  expect(await render({ docs })).toBe(`SLUG     TITLE                    TYPE  VERSION  TASKS       STALE  UPDATED
parsers  Which parsers there are  note        2  T001, T002         3h ago
plan     Which parsers there are  note        2              D-001  now
`);
});

test('wraps everything except slugs and prints selected fields', async () => {
  const text = await render({ doc: { ...doc, title: 'word '.repeat(40) } }, {}, 40);
  expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
  expect(await render({ doc: { slug: 'parsers' } })).toContain('parsers');
  expect(await render({ docs: [{ slug: 'parsers', size: 17 }] })).toContain('17');
});
