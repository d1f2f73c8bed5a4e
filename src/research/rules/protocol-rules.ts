import type { ProtocolName } from '#skills/model/protocol.ts';
import type { StoredCriterion } from '#tasks/model/task.ts';
import { unmetTexts } from '#tasks/rules/criteria.ts';
import type { ReadEntry } from '../model/manifest.ts';
import { linksOf } from './manifest.ts';
import { hasSection, type Output } from './output-file.ts';

/** What a rule of a protocol is judged by. */
export interface Work {
  task: { id: string; files: string[]; acceptance: StoredCriterion[] };
  entry: ReadEntry;
  output: Output;
  /** The linked tasks beside the task itself, and what is inside it. */
  parts: { id: string; isDescribed: boolean; hasCriteria: boolean; files: number }[];
}

export interface ProtocolRule {
  id: string;
  /** A rule that SHOULD be kept warns. */
  isMust: boolean;
  /** What is wrong, or nothing. */
  problem(work: Work): string | undefined;
}

const must = (id: string, problem: ProtocolRule['problem']): ProtocolRule => ({ id, isMust: true, problem });
const should = (id: string, problem: ProtocolRule['problem']): ProtocolRule => ({ id, isMust: false, problem });

const section =
  (name: string) =>
  ({ output }: Work): string | undefined =>
    hasSection(output, name.toLowerCase()) ? undefined : `has no ## ${name}, or nothing under it`;
const mention =
  (pattern: RegExp, what: string) =>
  ({ output }: Work): string | undefined =>
    pattern.test(output.text) ? undefined : `names no ${what}`;
const others = ({ entry, task }: Work): string | undefined =>
  linksOf(entry).some((id) => id !== task.id) ? undefined : 'links no task but its own';
const parted = (parts: Work['parts'], problem: string): string | undefined =>
  parts.length > 0
    ? `${parts
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}${parts.length > 5 ? ' …' : ''} ${problem}`
    : undefined;

const commit = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/;
const request = /(?:^|[\s(])#\d+\b|\bhttps?:\/\/\S+/m;
const version = /\bv?\d+\.\d+\.\d+(?:[-+.][\w.-]+)?\b/;
const sha256 = /\bsha256[:=-][0-9a-f]{64}\b/i;
const digest = /\bsha(?:256[:=-][0-9a-f]{64}|512[:=-][0-9a-f]{128})\b/i;
// A number of days that is not called an estimate may be part of what is to be built.
const duration =
  /\b(?:estimat\w*|efforts?|eta|takes?|durations?|approx\w*|about|roughly|around)\b[^\n]{0,40}?\b\d+(?:[.,]\d+)?[ -]?(?:person-)?(?:hours?|hrs?|days?|weeks?|months?|minutes?)\b/i;

/** The rules of each protocol, as its text states them. */
export const protocolRules: Record<ProtocolName, ProtocolRule[]> = {
  research: [
    must('RSCH-001', section('Sources')),
    must('RSCH-002', ({ entry }) => (entry.key_findings.length > 0 ? undefined : 'has no key_findings')),
    must('RSCH-003', ({ entry }) => (entry.topics.length > 0 ? undefined : 'has no topics')),
    should('RSCH-004', section('Open questions')),
  ],
  consensus: [
    must('CONS-001', ({ output }) =>
      [...(output.sections.get('options') ?? '').matchAll(/^(?:\s{0,3}(?:[-*+]|\d+[.)])\s+|###\s+)\S/gm)].length >= 2
        ? undefined
        : 'has no two options under ## Options',
    ),
    must('CONS-002', section('Verdict')),
    should('CONS-003', section('Dissent')),
    should('CONS-004', others),
  ],
  specification: [
    must('SPEC-001', mention(/\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/, 'requirement with MUST, SHOULD or MAY')),
    must('SPEC-002', section('Acceptance')),
    should('SPEC-003', ({ output }) => (output.header.get('version') ? undefined : 'has no **Version** in its header')),
    should('SPEC-004', section('Out of scope')),
  ],
  decomposition: [
    must('DCMP-001', ({ parts }) => (parts.length > 0 ? undefined : 'names no task that came of it')),
    must('DCMP-002', ({ parts }) =>
      parted(
        parts.filter(({ isDescribed, hasCriteria }) => !isDescribed || !hasCriteria),
        'without a description or criteria',
      ),
    ),
    must('DCMP-003', ({ output }) => {
      const found = duration.exec(output.text)?.[0];
      return found && `estimates a duration: ${found}`;
    }),
    should('DCMP-004', ({ parts }) =>
      parted(
        parts.filter(({ files }) => files > 3),
        'with more than three files',
      ),
    ),
  ],
  implementation: [
    must('IMPL-001', section('Changes')),
    must('IMPL-002', section('Verification')),
    should('IMPL-003', ({ task }) => (task.files.length > 0 ? undefined : 'names no files on the task')),
    should('IMPL-004', ({ task }) => (unmetTexts(task.acceptance).length === 0 ? undefined : 'leaves criteria of the task open')),
  ],
  contribution: [
    must('CONT-001', ({ output }) =>
      commit.test(output.text) || request.test(output.text) ? undefined : 'names no commit or pull request',
    ),
    must('CONT-002', section('Attribution')),
    should('CONT-003', section('Conflicts')),
  ],
  release: [
    must('RLSE-001', mention(version, 'version')),
    must('RLSE-002', section('Changelog')),
    must('RLSE-003', section('Verification')),
    should('RLSE-004', section('Rollback')),
  ],
  'artifact-publish': [
    must('ARTP-001', section('Artifacts')),
    must('ARTP-002', mention(digest, 'sha256: or sha512: digest')),
    should('ARTP-003', section('Rollback')),
  ],
  provenance: [
    must('PROV-001', mention(/\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/, 'commit by its full id')),
    must('PROV-002', mention(sha256, 'sha256: digest')),
    must('PROV-003', section('Build')),
    should('PROV-004', others),
  ],
};
