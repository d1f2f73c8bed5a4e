import type { ProtocolName } from '#skills/model/protocol.ts';
import type { StoredCriterion } from '#tasks/model/task.ts';
import { listUnmetTexts } from '#tasks/rules/criteria.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { listLinks } from './manifest.ts';
import { hasSection, type OutputFile } from './output-file.ts';

/** The work that protocol rules are checked against. */
export interface ProtocolWork {
  task: { id: string; files: string[]; acceptance: StoredCriterion[] };
  entry: ParsedEntry;
  output: OutputFile;
  /** Children of the task and other linked tasks. */
  parts: { id: string; isDescribed: boolean; hasCriteria: boolean; files: number }[];
}

export interface ProtocolRule {
  id: string;
  /** MUST rules fail; SHOULD rules warn. */
  isMust: boolean;
  /** Returns the problem, if any. */
  check(work: ProtocolWork): string | undefined;
}

const must = (id: string, check: ProtocolRule['check']): ProtocolRule => ({ id, isMust: true, check });
const should = (id: string, check: ProtocolRule['check']): ProtocolRule => ({ id, isMust: false, check });

const requireSection =
  (name: string) =>
  ({ output }: ProtocolWork): string | undefined =>
    hasSection(output, name.toLowerCase()) ? undefined : `has no text under ## ${name}`;
const requireMention =
  (pattern: RegExp, description: string) =>
  ({ output }: ProtocolWork): string | undefined =>
    pattern.test(output.text) ? undefined : `names no ${description}`;
const requireOtherLinks = ({ entry, task }: ProtocolWork): string | undefined =>
  listLinks(entry).some((id) => id !== task.id) ? undefined : 'links no other task';
const listFaultyParts = (parts: ProtocolWork['parts'], problem: string): string | undefined =>
  parts.length > 0
    ? `${parts
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}${parts.length > 5 ? ' …' : ''} ${problem}`
    : undefined;

const commitPattern = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/;
const pullRequestPattern = /(?:^|[\s(])#\d+\b|\bhttps?:\/\/\S+/m;
const versionPattern = /\bv?\d+\.\d+\.\d+(?:[-+.][\w.-]+)?\b/;
const sha256Pattern = /\bsha256[:=-][0-9a-f]{64}\b/i;
const digestPattern = /\bsha(?:256[:=-][0-9a-f]{64}|512[:=-][0-9a-f]{128})\b/i;
// Only numbers near a word such as "estimate" count; other durations may belong to the product.
const durationPattern =
  /\b(?:estimat\w*|efforts?|eta|takes?|durations?|approx\w*|about|roughly|around)\b[^\n]{0,40}?\b\d+(?:[.,]\d+)?[ -]?(?:person-)?(?:hours?|hrs?|days?|weeks?|months?|minutes?)\b/i;

/** Rules of each protocol, in the order of its text. A section beyond Summary and Content is never a MUST: the template of the base protocol
 *  is enough for a valid output file. */
export const protocolRules: Record<ProtocolName, ProtocolRule[]> = {
  research: [
    should('RSCH-001', requireSection('Sources')),
    should('RSCH-002', ({ entry }) => (entry.key_findings.length > 0 ? undefined : 'has no key_findings')),
    should('RSCH-003', ({ entry }) => (entry.topics.length > 0 ? undefined : 'has no topics')),
    should('RSCH-004', requireSection('Open questions')),
  ],
  consensus: [
    should('CONS-001', ({ output }) =>
      [...(output.sections.get('options') ?? '').matchAll(/^(?:\s{0,3}(?:[-*+]|\d+[.)])\s+|###\s+)\S/gm)].length >= 2
        ? undefined
        : 'has fewer than two options under ## Options',
    ),
    should('CONS-002', requireSection('Verdict')),
    should('CONS-003', requireSection('Dissent')),
    should('CONS-004', requireOtherLinks),
  ],
  specification: [
    must('SPEC-001', requireMention(/\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/, 'requirement with MUST, SHOULD or MAY')),
    should('SPEC-002', requireSection('Acceptance')),
    should('SPEC-003', ({ output }) => (output.header.get('version') ? undefined : 'has no **Version** in its header')),
    should('SPEC-004', requireSection('Out of scope')),
  ],
  decomposition: [
    must('DCMP-001', ({ parts }) => (parts.length > 0 ? undefined : 'names no task that resulted from it')),
    must('DCMP-002', ({ parts }) =>
      listFaultyParts(
        parts.filter(({ isDescribed, hasCriteria }) => !isDescribed || !hasCriteria),
        'without a description or criteria',
      ),
    ),
    must('DCMP-003', ({ output }) => {
      const found = durationPattern.exec(output.text)?.[0];
      return found && `estimates a duration: ${found}`;
    }),
    should('DCMP-004', ({ parts }) =>
      listFaultyParts(
        parts.filter(({ files }) => files > 3),
        'with more than three files',
      ),
    ),
  ],
  implementation: [
    should('IMPL-001', requireSection('Changes')),
    should('IMPL-002', requireSection('Verification')),
    should('IMPL-003', ({ task }) => (task.files.length > 0 ? undefined : 'has no files on the task')),
    should('IMPL-004', ({ task }) => (listUnmetTexts(task.acceptance).length === 0 ? undefined : 'leaves criteria of the task unmet')),
  ],
  contribution: [
    must('CONT-001', ({ output }) =>
      commitPattern.test(output.text) || pullRequestPattern.test(output.text) ? undefined : 'names no commit or pull request',
    ),
    should('CONT-002', requireSection('Attribution')),
    should('CONT-003', requireSection('Conflicts')),
  ],
  release: [
    must('RLSE-001', requireMention(versionPattern, 'version')),
    should('RLSE-002', requireSection('Changelog')),
    should('RLSE-003', requireSection('Verification')),
    should('RLSE-004', requireSection('Rollback')),
  ],
  'artifact-publish': [
    should('ARTP-001', requireSection('Artifacts')),
    must('ARTP-002', requireMention(digestPattern, 'sha256: or sha512: digest')),
    should('ARTP-003', requireSection('Rollback')),
  ],
  provenance: [
    must('PROV-001', requireMention(/\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/, 'commit by its full id')),
    must('PROV-002', requireMention(sha256Pattern, 'sha256: digest')),
    should('PROV-003', requireSection('Build')),
    should('PROV-004', requireOtherLinks),
  ],
};
