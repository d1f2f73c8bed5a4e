import type { GateEvidence, HashedFile } from '../model/verification.ts';

const kinds = ['commit', 'files', 'tool', 'test-run', 'run', 'url', 'note'] as const;

/** One piece of evidence as the caller wrote it, before it is examined. */
export interface EvidenceClaim {
  kind: (typeof kinds)[number];
  value: string;
  /** The whole text with its prefix. */
  text: string;
}

/** Lists the accepted forms of evidence, for error messages. */
export const listEvidenceForms = (allowsNotes: boolean): string[] => [
  'commit:<sha>',
  'files:<path>,<path>',
  'tool:<name>',
  'test-run:<path or JSON of a test report>',
  'run:<id of a run for this task>',
  ...(allowsNotes ? ['url:<address>', 'note:<text>'] : []),
];

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

/** Lists the files that the evidence consists of, with their hashes. */
export const listEvidenceFiles = (evidence: GateEvidence[]): HashedFile[] =>
  evidence.flatMap((each) => {
    if (each.kind === 'files' || each.kind === 'run') return each.files;
    return each.kind === 'test-run' && each.path ? [{ path: each.path, sha256: each.sha256 }] : [];
  });

/** Formats evidence so that it can be submitted again, with the files that still exist. Empty if nothing is left. */
export function formatEvidence(evidence: GateEvidence[], exists: (path: string) => boolean): string {
  return evidence
    .flatMap((each) => {
      if (each.kind === 'commit') return [`commit:${each.commit}`];
      if (each.kind === 'tool') return [`tool:${each.name}`];
      if (each.kind === 'url') return [`url:${each.url}`];
      if (each.kind === 'note') return [`note:${each.text}`];
      if (each.kind === 'test-run') return each.path && exists(each.path) ? [`test-run:${each.path}`] : [];
      // A run is evidence only for files it left unchanged, so its files are submitted as files.
      if (each.kind === 'run' && each.files.length === 0) return [`run:${each.run}`];
      if (each.kind !== 'files' && each.kind !== 'run') return [];
      const left = each.files.map(({ path }) => path).filter(exists);
      return left.length ? [`files:${left.join(',')}`] : [];
    })
    .join('; ');
}
