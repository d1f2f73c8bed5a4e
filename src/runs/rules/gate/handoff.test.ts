import { expect, test } from 'vitest';
import type { ArtifactFile, ResolvedArtifact } from '../../model/artifact.ts';
import type { ArtifactSpec } from '../../model/construct.ts';
import { evaluateHandoff } from './handoff.ts';

const spec = (path: string, more: Partial<ArtifactSpec> = {}): ArtifactSpec => ({
  ...{ path, schema: null, required: true, min_completeness: null, required_sections: null, ...more },
});
const file = (path: string, more: Partial<ArtifactFile> = {}): ArtifactFile => ({
  ...{ path, kind: 'file', size: 5, sha256: `sha of ${path}`, contentType: 'text/markdown', problems: [], ...more },
});
const measured = (completeness: number): Partial<ArtifactFile> => ({
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
const found = (own: ArtifactSpec, ...files: ArtifactFile[]): ResolvedArtifact => ({ spec: own, files });

interface Given {
  required?: ResolvedArtifact[];
  optional?: ResolvedArtifact[];
  outputs?: ArtifactFile[];
  before?: Record<string, string>;
  onFailure?: 'block' | 'warn' | 'skip';
}
const evaluate = ({ required = [], optional = [], outputs = [], before = {}, onFailure = 'block' }: Given) =>
  evaluateHandoff({
    ...{ runId: 'run-1', at: 'now', required, optional, outputs, before: new Map(Object.entries(before)) },
    spec: { from: 'a', to: 'b', required: required.map((one) => one.spec), optional: optional.map((one) => one.spec), onFailure },
  });
const prd = spec('prd.md', { schema: 'prd-v1' });

test.each<[why: string, given: Given, expected: object]>([
  ['no required artifacts', {}, { accepted: true, rejection_reason: null, remediation: null }],
  [
    'a pattern without matches',
    { required: [found(spec('notes/*.md'))] },
    { accepted: false, artifacts: { missing: ['notes/*.md'] }, remediation: 'write notes/*.md' },
  ],
  [
    'a document below the default minimum of 0.7',
    { required: [found(prd, file('prd.md', measured(0.69)))] },
    {
      accepted: false,
      validation: { schema_valid: true, completeness: 0.69, blockers: ['prd.md is 0.69 complete; the minimum is 0.7'], warnings: [] },
      remediation: 'prd.md: goals needs 9 more words',
    },
  ],
  [
    'a document at the minimum',
    { required: [found(prd, file('prd.md', measured(0.7)))] },
    { accepted: true, validation: { completeness: 0.7 } },
  ],
  [
    'the lowest completeness of the required documents',
    {
      required: [found(prd, file('prd.md', measured(1))), found(spec('x.md', { schema: 's' }), file('x.md', measured(0.8)))],
      optional: [found(spec('y.md', { schema: 's', required: false }), file('y.md', measured(0.1)))],
    },
    { accepted: true, validation: { completeness: 0.8 } },
  ],
  ['no document schema', { required: [found(spec('x'), file('x'))] }, { validation: { completeness: null } }],
  ['a missing document', { required: [found(prd)] }, { accepted: false, validation: { completeness: 0 } }],
  [
    'a document that violates its schema',
    { required: [found(prd, file('prd.md', { ...measured(1), problems: ['is not JSON'] }))] },
    {
      accepted: false,
      validation: { schema_valid: false },
      rejection_reason: 'prd.md is not JSON',
      remediation: 'fix prd.md: it is not JSON',
    },
  ],
  [
    'a file that changed after the sender ended',
    { required: [found(spec('x'), file('x'))], before: { x: 'another' } },
    {
      accepted: false,
      validation: { blockers: ['artifact_changed: x has changed since a ended'] },
      remediation: 'run a again, or restore x',
    },
  ],
  ['an unchanged file', { required: [found(spec('x'), file('x'))], before: { x: 'sha of x' } }, { accepted: true }],
  [
    'a problem of an optional file is a warning',
    { optional: [found(spec('y', { required: false }), file('y', { size: 0 }))] },
    { accepted: true, validation: { warnings: ['y is empty'], blockers: [] } },
  ],
  [
    'extra outputs',
    {
      required: [found(spec('x'), file('x'))],
      optional: [found(spec('y', { required: false }), file('y'))],
      outputs: ['x', 'y', 'z'].map((one) => file(one)),
    },
    { artifacts: { extra: ['z'], provided: [{ path: 'x', completeness: null, checksum: 'sha of x' }, { path: 'y' }] } },
  ],
  [
    'on_failure: warn',
    { required: [found(spec('x'))], onFailure: 'warn' },
    {
      accepted: true,
      validation: { blockers: [], warnings: ['x does not exist'], skipped: false },
      rejection_reason: null,
      remediation: null,
    },
  ],
  [
    'on_failure: skip',
    { required: [found(prd, file('prd.md', measured(0)))], onFailure: 'skip' },
    { accepted: true, validation: { skipped: true, completeness: null, warnings: [] } },
  ],
])('%s', (_, given, expected) => {
  expect(evaluate(given)).toMatchObject({
    schema_version: 1,
    run_id: 'run-1',
    from_phase: 'a',
    to_phase: 'b',
    handoff_at: 'now',
    ...expected,
  });
});
