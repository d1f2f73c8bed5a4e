import { expect, test } from 'vitest';
import type { ArtifactFile, ResolvedArtifact } from '../../model/artifact.ts';
import { formatRemedy, measureFulfilment, parseRemedy } from './gate.ts';

const spec = { path: 'a.md', schema: null, required: true, min_completeness: null, required_sections: null };
const file = (given: Partial<ArtifactFile>): ArtifactFile => ({
  ...{ path: 'a.md', kind: 'file', size: 5, sha256: '', contentType: 'text/markdown', problems: [], ...given },
});
const artifact = (...files: ArtifactFile[]): ResolvedArtifact => ({ spec, files });

test.each<[why: string, found: ResolvedArtifact, share: number]>([
  ['a missing file', artifact(), 0],
  ['an empty file', artifact(file({ size: 0 })), 0],
  ['a folder', artifact(file({ kind: 'folder' })), 0],
  ['a file without a schema', artifact(file({})), 1],
  ['an invalid file', artifact(file({ problems: ['is not UTF-8'] })), 0],
  ['an incomplete document', artifact(file({ completeness: { completeness: 0.4, sections: [] } })), 0.4],
  ['a pattern of two files', artifact(file({}), file({ path: 'b.md', size: 0 })), 0.5],
])('fulfilment of %s', (_, found, share) => {
  expect(measureFulfilment(found)).toBe(share);
});

test('parses the remedy that it formats', () => {
  const sections = [
    { id: 'goals', lacks: ['30 more words', 'no placeholder'] },
    { id: 'users', lacks: [] },
    { id: 'risks', lacks: ['a heading such as "Risks"'] },
  ];
  const remedy = `${formatRemedy('docs/prd.md', sections)}\nwrite other file.md`;
  expect(parseRemedy(remedy)).toEqual([
    { path: 'docs/prd.md', section: 'goals' },
    { path: 'docs/prd.md', section: 'risks' },
    { path: 'other file.md' },
  ]);
});
