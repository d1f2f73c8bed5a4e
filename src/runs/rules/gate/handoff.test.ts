import { expect, test } from 'vitest';
import type { ArtifactSpec } from '../../model/construct.ts';
import type { FoundArtifact, FoundFile } from '../../model/found.ts';
import { handOn } from './handoff.ts';

const spec = (path: string, more: Partial<ArtifactSpec> = {}): ArtifactSpec => ({
  ...{ path, schema: null, required: true, min_completeness: null, required_sections: null, ...more },
});
const file = (path: string, more: Partial<FoundFile> = {}): FoundFile => ({
  ...{ path, kind: 'file', size: 5, sha256: `sha of ${path}`, contentType: 'text/markdown', problems: [], ...more },
});
const measured = (completeness: number): Partial<FoundFile> => ({
  completeness: {
    completeness,
    sections: [
      {
        ...{ id: 'goals', required: true, weight: 1, score: completeness, heading: 'Goals', line: 3, words: 0 },
        ...{ placeholderWords: 0, items: 0, lacks: completeness === 1 ? [] : ['9 more words'] },
      },
    ],
  },
});
const found = (own: ArtifactSpec, ...files: FoundFile[]): FoundArtifact => ({ spec: own, files });

interface Given {
  required?: FoundArtifact[];
  optional?: FoundArtifact[];
  outputs?: FoundFile[];
  before?: Record<string, string>;
  onFailure?: 'block' | 'warn' | 'skip';
}
const handed = ({ required = [], optional = [], outputs = [], before = {}, onFailure = 'block' }: Given) =>
  handOn({
    ...{ runId: 'run-1', at: 'now', required, optional, outputs, before: new Map(Object.entries(before)) },
    spec: { from: 'a', to: 'b', required: required.map((one) => one.spec), optional: optional.map((one) => one.spec), onFailure },
  });
const prd = spec('prd.md', { schema: 'prd-v1' });

test.each<[why: string, given: Given, expected: object]>([
  ['nothing is asked for', {}, { accepted: true, rejection_reason: null, remediation: null }],
  [
    'a pattern that nothing fits',
    { required: [found(spec('notes/*.md'))] },
    { accepted: false, artifacts: { missing: ['notes/*.md'] }, remediation: 'write notes/*.md' },
  ],
  [
    'a document that is not complete enough: 0.7 where nobody says more',
    { required: [found(prd, file('prd.md', measured(0.69)))] },
    {
      accepted: false,
      validation: { schema_valid: true, completeness: 0.69, blockers: ['prd.md is 0.69 complete; 0.7 is asked for'], warnings: [] },
      remediation: 'prd.md: goals needs 9 more words',
    },
  ],
  ['one that is', { required: [found(prd, file('prd.md', measured(0.7)))] }, { accepted: true, validation: { completeness: 0.7 } }],
  [
    'the least complete of all that must be there, and not of what may be',
    {
      required: [found(prd, file('prd.md', measured(1))), found(spec('x.md', { schema: 's' }), file('x.md', measured(0.8)))],
      optional: [found(spec('y.md', { schema: 's', required: false }), file('y.md', measured(0.1)))],
    },
    { accepted: true, validation: { completeness: 0.8 } },
  ],
  ['nothing has a schema', { required: [found(spec('x'), file('x'))] }, { validation: { completeness: null } }],
  ['what has one is not there', { required: [found(prd)] }, { accepted: false, validation: { completeness: 0 } }],
  [
    'a document that is none by its schema',
    { required: [found(prd, file('prd.md', { ...measured(1), problems: ['is no JSON'] }))] },
    {
      accepted: false,
      validation: { schema_valid: false },
      rejection_reason: 'prd.md is no JSON',
      remediation: 'mend prd.md: it is no JSON',
    },
  ],
  [
    'somebody has changed it',
    { required: [found(spec('x'), file('x'))], before: { x: 'another' } },
    {
      accepted: false,
      validation: { blockers: ['artifact_changed: x is not what a left'] },
      remediation: 'run a again, or leave x as it made it',
    },
  ],
  ['nobody has', { required: [found(spec('x'), file('x'))], before: { x: 'sha of x' } }, { accepted: true }],
  [
    'what may be there is told of, and stops nothing',
    { optional: [found(spec('y', { required: false }), file('y', { size: 0 }))] },
    { accepted: true, validation: { warnings: ['y is empty'], blockers: [] } },
  ],
  [
    'what fits the outputs and nobody names',
    {
      required: [found(spec('x'), file('x'))],
      optional: [found(spec('y', { required: false }), file('y'))],
      outputs: ['x', 'y', 'z'].map((one) => file(one)),
    },
    { artifacts: { extra: ['z'], provided: [{ path: 'x', completeness: null, checksum: 'sha of x' }, { path: 'y' }] } },
  ],
  [
    'a warning lets it pass',
    { required: [found(spec('x'))], onFailure: 'warn' },
    {
      accepted: true,
      validation: { blockers: [], warnings: ['x is not there'], skipped: false },
      rejection_reason: null,
      remediation: null,
    },
  ],
  [
    'nobody wants to know',
    { required: [found(prd, file('prd.md', measured(0)))], onFailure: 'skip' },
    { accepted: true, validation: { skipped: true, completeness: null, warnings: [] } },
  ],
])('%s', (_, given, expected) => {
  expect(handed(given)).toMatchObject({
    schema_version: 1,
    run_id: 'run-1',
    from_phase: 'a',
    to_phase: 'b',
    handoff_at: 'now',
    ...expected,
  });
});
