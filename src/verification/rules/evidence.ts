import type { Evidence } from '../model/verification.ts';

/** What a caller says it has to show. */
export interface Claimed {
  kind: 'commit' | 'files' | 'tool' | 'test-run' | 'run' | 'url' | 'note';
  value: string;
  /** As it was written. */
  text: string;
}

const kinds = ['commit', 'files', 'tool', 'test-run', 'run', 'url', 'note'] as const;

/** How evidence is written, for whoever wrote something else. */
export const evidenceForms = (allowsNotes: boolean): string[] => [
  'commit:<sha>',
  'files:<path>,<path>',
  'tool:<name>',
  'test-run:<path or JSON of a test report>',
  'run:<id of a run for this task>',
  ...(allowsNotes ? ['url:<address>', 'note:<text>'] : []),
];

/** Several stand side by side with `;` between. A text without a known prefix is a note, whatever signs are in it. */
export function claimsIn(text: string): Claimed[] {
  return text
    .split(/;\s*(?=(?:commit|files|tool|test-run|run|url|note):)/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const kind = kinds.find((each) => part.startsWith(`${each}:`));
      return kind ? { kind, value: part.slice(kind.length + 1).trim(), text: part } : { kind: 'note', value: part, text: part };
    });
}

export const listed = (value: string): string[] => [...new Set(value.split(',').map((item) => item.trim()))].filter((item) => item !== '');

/** The words of a command: as they are, or a text split at its spaces, but for what stands in quotes. */
export function wordsOf(command: string | string[]): string[] {
  if (typeof command !== 'string') return command;
  return [...command.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The files that evidence rests on. */
export const filesIn = (evidence: Evidence[]): { path: string; sha256: string }[] =>
  evidence.flatMap((each) => {
    if (each.kind === 'files' || each.kind === 'run') return each.files;
    return each.kind === 'test-run' && each.path ? [{ path: each.path, sha256: each.sha256 }] : [];
  });

/** The same evidence as it would be brought again, of the files only those that are still there. Empty where nothing is left of it. */
export function evidenceText(evidence: Evidence[], isThere: (path: string) => boolean): string {
  return evidence
    .flatMap((each) => {
      if (each.kind === 'commit') return [`commit:${each.commit}`];
      if (each.kind === 'tool') return [`tool:${each.name}`];
      if (each.kind === 'url') return [`url:${each.url}`];
      if (each.kind === 'note') return [`note:${each.text}`];
      if (each.kind === 'test-run') return each.path && isThere(each.path) ? [`test-run:${each.path}`] : [];
      // A run shows its own files and no others: what they are now is shown by themselves.
      if (each.kind === 'run' && each.files.length === 0) return [`run:${each.run}`];
      if (each.kind !== 'files' && each.kind !== 'run') return [];
      const left = each.files.map(({ path }) => path).filter(isThere);
      return left.length ? [`files:${left.join(',')}`] : [];
    })
    .join('; ');
}
