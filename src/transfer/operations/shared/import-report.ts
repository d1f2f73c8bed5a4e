import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ImportLoss } from '../../model/foreign.ts';
import type { ImportConflict } from '../../rules/import-state.ts';

interface ImportResult {
  losses: ImportLoss[];
  conflicts: ImportConflict[];
  ids: { id: string; taskId: string }[];
}

/** Writes everything an import reports as JSON Lines. Also in a dry run, for which a report is most useful: it is no part of the plan.
 *  Only the command line may name a file. */
export async function writeReport({ platform, project, gateway }: MutationContext, file: string, result: ImportResult): Promise<void> {
  if (gateway !== 'cli')
    throw new CleoError('E_VALIDATION', { field: 'report', problem: 'is for the command line only', fix: 'cleo help import' });
  const path = platform.files.resolveInside(project.root, file, 'cleo help import');
  const lines = [
    ...result.conflicts.map((conflict) => ({ kind: 'conflict', ...conflict })),
    ...result.losses.map(({ isProblem, ...loss }) => ({ kind: isProblem ? 'problem' : 'loss', ...loss })),
    ...result.ids.map((id) => ({ kind: 'id', ...id })),
  ];
  platform.files.writeAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
