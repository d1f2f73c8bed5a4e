import { formatCsv } from '#lib/csv.ts';
import { toCallFailure } from '../../api/call-failure.ts';
import { query } from '../../api/client.ts';
import type { Result } from '../../api/operations.generated.ts';
import { downloadText } from '../../state/download.ts';
import { notify } from '../../state/notices.ts';
import { dimensionNames } from './dimensions.tsx';

export type GradeRow = Result<'admin.grade.list'>['grades'][number];

/** Grades a session and stores the grade. `partial` also stores it if reads were not recorded. Returns true if it is stored. */
export async function storeGrade(sessionId: string, { partial = false }: { partial?: boolean } = {}): Promise<boolean> {
  try {
    const { grade, unknown } = await query('admin.grade', { sessionId, ...(partial ? { partial } : {}) });
    const isStored = unknown === undefined || partial;
    if (isStored) notify('done', `Graded ${sessionId}: ${grade.totalScore} of ${grade.maxScore}, ${grade.letter}`);
    else notify('info', `${sessionId} was not recorded in grade mode, so its grade is not stored`);
    return isStored;
  } catch (error) {
    const failure = toCallFailure(error);
    notify('failed', failure.message, failure.fix);
    return false;
  }
}

/** Saves grades as JSON, as the server returns them. */
export const exportJson = (grades: GradeRow[]): void =>
  downloadText('grades.json', 'application/json', `${JSON.stringify(grades, undefined, 2)}\n`);

/** Saves grades as a table, with a column for each dimension. */
export function exportCsv(grades: GradeRow[]): void {
  const head = ['session', 'agent', 'scope', 'task', 'score', 'max', 'letter', ...dimensionNames, 'flags', 'entries', 'graded'];
  const rows = grades.map(({ sessionId, agent, scope, taskId, totalScore, maxScore, letter, dimensions, flags, entryCount, timestamp }) => [
    ...[sessionId, agent, scope, taskId, totalScore, maxScore, letter],
    ...dimensionNames.map((name) => dimensions[name].score),
    ...[flags.join('; '), entryCount, timestamp],
  ]);
  downloadText('grades.csv', 'text/csv', formatCsv(head, rows));
}
