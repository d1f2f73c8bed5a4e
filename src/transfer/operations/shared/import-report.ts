import { object, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import type { Gateway } from '#core/model/audit.ts';
import { type ApplyContext, observation } from '#core/observation.ts';
import type { ImportLoss } from '../../model/foreign.ts';
import type { ImportConflict } from '../../rules/import-state.ts';

interface ImportResult {
  losses: ImportLoss[];
  conflicts: ImportConflict[];
  ids: { id: string; taskId: string }[];
}

const resolveReport = ({ platform, project }: ApplyContext, file: string): string =>
  platform.files.resolveInside(project.root, file, 'cleo help import');

/** Checks before the import that the report can be in this file of the caller. */
export const reportFile = observation({
  name: 'checkout.report',
  isByCaller: true,
  request: object({ report: string() }),
  facts: object({}),
  async observe(ctx, { report }) {
    resolveReport(ctx, report);
    return {};
  },
});

/** Formats everything an import reports as JSON Lines. Only the command line may name a file. */
export function formatReport(gateway: Gateway, result: ImportResult): string {
  if (gateway !== 'cli')
    throw new CleoError('E_VALIDATION', { field: 'report', problem: 'is for the command line only', fix: 'cleo help import' });
  const lines = [
    ...result.conflicts.map((conflict) => ({ kind: 'conflict', ...conflict })),
    ...result.losses.map(({ isProblem, ...loss }) => ({ kind: isProblem ? 'problem' : 'loss', ...loss })),
    ...result.ids.map((id) => ({ kind: 'id', ...id })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Writes the report in the checkout of the caller. */
export function writeReport(ctx: ApplyContext, report: string, text: string): void {
  ctx.platform.files.writeAtomic(resolveReport(ctx, report), text);
}
