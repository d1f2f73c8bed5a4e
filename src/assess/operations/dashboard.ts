import { basename } from 'node:path';
import { description, metadata, number, object, pipe, safeParse, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { createSkillError } from '#runs/errors/skill.ts';
import { type Assessment, AssessmentSchema } from '../model/assessment.ts';
import { renderDashboard } from '../rules/dashboard/dashboard.ts';
import { suggestFixes } from '../rules/suggest.ts';
import { nowParam } from './shared/now-param.ts';
import {
  assessmentsFile,
  assessTraces,
  listTraceNames,
  readModel,
  readRecentFacts,
  readStateFile,
  type TraceContext,
} from './shared/traces.ts';

export const assessDashboard = job({
  name: 'assess.dashboard',
  summary: 'Write an HTML dashboard of skill assessments',
  params: strictObject({
    out: pipe(FilePath, description('File inside the project, but not in .cleo or .git'), metadata({ value: 'FILE' })),
    now: nowParam,
  }),
  result: strictObject({ file: string(), runs: number(), executions: number(), bytes: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess dashboard', view: async () => (await import('../view.ts')).assessView },
  example: {
    world: ['run run-1 2026-01-31 discovery/write design/draw:84'],
    call: { out: 'skills.html', now: '2026-02-01T00:00:00.000Z' },
  },
  async run(ctx, { out, now = ctx.now }) {
    const { platform, project } = ctx;
    const path = resolveOutput(ctx, out);
    const names = listTraceNames(ctx);
    const { executions } = await assessTraces(ctx, names, now);
    const fresh = executions.map(({ assessment }) => assessment);
    const assessments = [...readStoredAssessments(ctx, new Set(fresh.map(({ execution_id }) => execution_id))), ...fresh].sort(
      (one, other) => (one.completed_at < other.completed_at ? -1 : one.completed_at > other.completed_at ? 1 : 0),
    );
    const page = renderDashboard({
      project: basename(project.root),
      generatedAt: now,
      assessments,
      facts: executions.map(({ facts }) => facts),
      suggestions: suggestFixes(readRecentFacts(ctx, names)),
      ...defined({ model: readModel(ctx) }),
    });
    platform.files.writeAtomic(path, page);
    const runs = new Set(assessments.map(({ run_id }) => run_id)).size;
    return { file: out, runs, executions: assessments.length, bytes: new TextEncoder().encode(page).length };
  },
});

/** The path to write to. Every error suggests the same path that works. */
function resolveOutput({ platform, project }: TraceContext, out: string): string {
  try {
    return platform.files.resolveInside(project.root, out, 'cleo help assess dashboard');
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    throw createSkillError(73, error.message, 'cleo assess dashboard --out assessment.html', { path: out });
  }
}

/** Not strict: a later version may have written additional fields. */
const AssessmentLine = object(AssessmentSchema.entries);

/** Stored assessments of executions that are not in `known`: the last one of each execution, whose trace may have been pruned since. */
function readStoredAssessments(ctx: TraceContext, known: Set<string>): Assessment[] {
  const stored = new Map<string, Assessment>();
  for (const line of (readStateFile(ctx, assessmentsFile) ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const parsed = safeParse(AssessmentLine, parseJson(line));
    if (parsed.success && !known.has(parsed.output.execution_id)) stored.set(parsed.output.execution_id, parsed.output);
  }
  return [...stored.values()];
}
