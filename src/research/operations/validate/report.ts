import '#tasks/errors.ts';
import { array, boolean, number, optional, picklist, record, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { countValues } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import { findStaleCitations } from '#memory/operations/shared/citations.ts';
import { fileDigests } from '#tasks/operations/shared/file-digests.ts';
import { findTaskProblems } from '#tasks/operations/shared/integrity.ts';
import { findStaleEvidence } from '#verification/operations/shared/verification.ts';

const maxProblems = 100;

const Report = strictObject({
  ok: boolean(),
  tasks: number(),
  counts: record(string(), number()),
  problems: array(
    strictObject({
      kind: string(),
      severity: picklist(['error', 'warning']),
      taskId: optional(string()),
      message: string(),
      fix: string(),
    }),
  ),
});

export const validateReport = query({
  name: 'validate.report',
  summary: 'Check all tasks for inconsistent or stale data',
  params: strictObject({}),
  result: strictObject({ report: Report }),
  errors: ['E_ORPHAN_DETECTED'],
  tier: 0,
  observes: [fileDigests],
  shares: ['research', 'researchArchive'],
  cli: { command: ['validate report', 'validate'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: {} },
  async run(ctx) {
    const { store, config, now } = ctx;
    const { tasks, problems: taskProblems } = await findTaskProblems(store, {
      now,
      maxSiblings: config['hierarchy.maxSiblings'],
      ttlMinutes: config['claims.ttlMinutes'],
    });
    const problems = [...taskProblems, ...(await findStaleEvidence(ctx)), ...(await findStaleCitations(store))];
    const counts = countValues(problems.map(({ kind }) => kind));
    const report = { ok: problems.length === 0, tasks, counts, problems: problems.slice(0, maxProblems) };
    const orphans = taskProblems.filter(({ kind }) => kind === 'orphan').map(({ taskId }) => taskId);
    if (orphans.length > 0) throw new CleoError('E_ORPHAN_DETECTED', { orphans: orphans.slice(0, maxProblems), report });
    return answer({ report }, { truncated: toTruncation(report.problems.length, problems.length) });
  },
});
