import { expect, test } from 'vitest';
import type { FoundArtifact, FoundFile } from '../../model/found.ts';
import { fulfilment } from './output.ts';
import { remedied, remedyOf } from './remedy.ts';

const spec = { path: 'a.md', schema: null, required: true, min_completeness: null, required_sections: null };
const file = (given: Partial<FoundFile>): FoundFile => ({
  ...{ path: 'a.md', kind: 'file', size: 5, sha256: '', contentType: 'text/markdown', problems: [], ...given },
});
const of = (...files: FoundFile[]): FoundArtifact => ({ spec, files });

test.each<[why: string, found: FoundArtifact, share: number]>([
  ['what is not there', of(), 0],
  ['an empty file', of(file({ size: 0 })), 0],
  ['a folder', of(file({ kind: 'folder' })), 0],
  ['a file without a schema', of(file({})), 1],
  ['one that is not what it should be', of(file({ problems: ['is no UTF-8 text'] })), 0],
  ['a document', of(file({ completeness: { completeness: 0.4, sections: [] } })), 0.4],
  ['a pattern', of(file({}), file({ path: 'b.md', size: 0 })), 0.5],
])('%s', (_, found, share) => {
  expect(fulfilment(found)).toBe(share);
});

test('what a remedy asks for can be told from it', () => {
  const sections = [
    { id: 'goals', lacks: ['30 more words', 'no placeholder'] },
    { id: 'users', lacks: [] },
    { id: 'risks', lacks: ['a heading such as "Risks"'] },
  ];
  const remedy = `${remedyOf('docs/prd.md', sections)}\nwrite other file.md`;
  expect(remedied(remedy)).toEqual([
    { path: 'docs/prd.md', section: 'goals' },
    { path: 'docs/prd.md', section: 'risks' },
    { path: 'other file.md' },
  ]);
});
