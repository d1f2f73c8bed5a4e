import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { omitEmpty } from '#lib/collections.ts';
import { pluralize } from '#lib/noun.ts';
import type { SyncReport } from './plan-sync.ts';

export const FileProblemSchema = strictObject({ file: string(), line: number(), problem: string() });
const IssueSchema = strictObject({ kind: string(), problem: string() });

export const SyncSchema = strictObject({
  read: pipe(number(), description('Records that the store took from the files')),
  written: pipe(number(), description('Files that were written')),
  issues: optional(pipe(array(IssueSchema), description('Concurrent changes, and how they were resolved'))),
  issueCount: optional(number()),
  problems: optional(pipe(array(FileProblemSchema), description('Files that could not be read'))),
});

const maxListed = 50;

/** Describes a sync for its answer. */
export function describeSync({ read, written, issues, problems }: SyncReport) {
  const result = {
    sync: {
      read,
      written: written.length,
      ...omitEmpty({
        issues: issues.slice(0, maxListed).map(({ kind, message }) => ({ kind, problem: message })),
        problems: problems.slice(0, maxListed).map(({ file, line, message }) => ({ file, line, problem: message })),
      }),
      ...(issues.length > maxListed ? { issueCount: issues.length } : {}),
    },
    ...omitEmpty({ files: written.slice(0, maxListed) }),
    ...(written.length > maxListed ? { fileCount: written.length } : {}),
  };
  return { result, warnings: listWarnings({ problems }) };
}

export function listWarnings({ problems }: Pick<SyncReport, 'problems'>): string[] {
  const conflicts = problems.filter(({ kind }) => kind === 'conflict-markers');
  const broken = problems.filter(({ kind }) => kind !== 'conflict-markers');
  return [
    ...(conflicts.length > 0 ? [`${pluralize(conflicts.length, 'file')} with conflict markers: cleo sync --resolve`] : []),
    ...broken.slice(0, 5).map(({ file, line, message }) => `${file}, line ${line}: ${message}`),
  ];
}
