import type { GateName } from '#core/model/scalars.ts';
import type { GateEvidence, HashedFile } from '../model/verification.ts';
import { type GatePolicy, opensGate } from './gate-policy.ts';

const kinds = ['commit', 'files', 'tool', 'test-run', 'run', 'url', 'note'] as const;

/** One piece of evidence as the caller wrote it, before it is examined. */
export interface EvidenceClaim {
  kind: (typeof kinds)[number];
  value: string;
  /** The whole text with its prefix. */
  text: string;
}

/** Parses evidence separated by `;`. A text without a known prefix is a note. */
export function parseEvidence(text: string): EvidenceClaim[] {
  return text
    .split(/;\s*(?=(?:commit|files|tool|test-run|run|url|note):)/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const kind = kinds.find((each) => part.startsWith(`${each}:`));
      return kind ? { kind, value: part.slice(kind.length + 1).trim(), text: part } : { kind: 'note', value: part, text: part };
    });
}

export const splitPaths = (value: string): string[] =>
  [...new Set(value.split(',').map((item) => item.trim()))].filter((item) => item !== '');

/** The reason why observed evidence is not an answer to what was submitted; undefined if it is. A client observes it on its own machine, so
 *  a verdict, another tool or a run that the log does not have must not come from there. */
export function findObservedProblem(
  claims: readonly EvidenceClaim[],
  observed: readonly GateEvidence[],
  loggedRuns: readonly string[],
): string | undefined {
  const answers = (claim: EvidenceClaim, each: GateEvidence): boolean => {
    switch (each.kind) {
      case 'claimed':
        return true;
      case 'commit':
        return claim.kind === 'commit' && /^[0-9a-f]{40,64}$/.test(each.commit);
      case 'files':
        return claim.kind === 'files' && each.files.length === splitPaths(claim.value).length;
      case 'tool':
        return claim.kind === 'tool' && each.name === claim.value && each.exitCode === 0;
      case 'test-run':
        return claim.kind === 'test-run' && each.path !== undefined && each.passed > 0;
      case 'run':
        return claim.kind === 'run' && each.run === claim.value && loggedRuns.includes(each.run);
      case 'url':
        return claim.kind === 'url' && each.url === claim.value;
      case 'note':
        return claim.kind === 'note' && each.text === claim.value;
      default:
        return false;
    }
  };
  if (observed.length !== claims.length) return `${observed.length} pieces of evidence were observed, and ${claims.length} submitted`;
  const i = claims.findIndex((claim, n) => !answers(claim, observed[n]!));
  return i < 0 ? undefined : `what was observed for ${JSON.stringify(claims[i]!.text.slice(0, 80))} is not evidence of it`;
}

/** Lists the files that the evidence consists of, with their hashes. */
export const listEvidenceFiles = (evidence: GateEvidence[]): HashedFile[] =>
  evidence.flatMap((each) => {
    if (each.kind === 'files' || each.kind === 'run') return each.files;
    return each.kind === 'test-run' && each.path ? [{ path: each.path, sha256: each.sha256 }] : [];
  });

/** Formats evidence so that it can be submitted again for the gate, with the files that still exist. Empty if nothing is left that
 *  would open the gate. */
export function formatEvidence(policy: GatePolicy, gate: GateName, evidence: GateEvidence[], exists: (path: string) => boolean): string {
  const hasTool = evidence.some(({ kind }) => kind === 'tool');
  const pieces = evidence.flatMap((each): string[] => {
    switch (each.kind) {
      case 'commit':
        return [`commit:${each.commit}`];
      case 'tool':
        return [`tool:${each.name}`];
      case 'url':
        return [`url:${each.url}`];
      case 'note':
        return [`note:${each.text}`];
      case 'test-run':
        // Without its tool a report that changed is a statement of the caller.
        return hasTool && each.path && exists(each.path) ? [`test-run:${each.path}`] : [];
      case 'run':
        if (each.files.length === 0) return [`run:${each.run}`];
        // A run is evidence only for files it left unchanged, so its files are submitted as files.
        return formatFiles(each.files, exists);
      case 'files':
        return formatFiles(each.files, exists);
      default:
        return [];
    }
  });
  const text = pieces.join('; ');
  return opensGate(policy, gate, parseEvidence(text)) ? text : '';
}

function formatFiles(files: HashedFile[], exists: (path: string) => boolean): string[] {
  const left = files.map(({ path }) => path).filter(exists);
  return left.length ? [`files:${left.join(',')}`] : [];
}
