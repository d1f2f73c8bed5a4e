import { basename } from 'node:path';
import { description, metadata, number, object, pipe, safeParse, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/scalars.ts';
import { skillRefusal } from '#runs/errors/skill.ts';
import { Assessment } from '../model/assessment.ts';
import { dashboard } from '../rules/dashboard/dashboard.ts';
import { suggest } from '../rules/suggest.ts';
import { nowParam } from './shared/now.ts';
import { assessmentsFile, assessTraces, factsIn, modelOf, type Place, traceNames } from './shared/traces.ts';
import { looksBack } from './suggest.ts';

export const assessDashboard = job({
  name: 'assess.dashboard',
  summary: 'Write a page that shows how the skills of this project do',
  params: strictObject({
    out: pipe(FilePath, description('Inside the project, never in .cleo or .git'), metadata({ value: 'FILE' })),
    now: nowParam,
  }),
  result: strictObject({ file: string(), runs: number(), executions: number(), bytes: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  scope: 'admin',
  exits: 'skill',
  cli: { command: 'assess dashboard' },
  example: {
    world: ['run run-1 2026-01-31 discovery/write design/draw:84'],
    call: { out: 'skills.html', now: '2026-02-01T00:00:00.000Z' },
  },
  async run({ platform, project, now }, { out, now: given }) {
    const place = { platform, project };
    const path = placeFor(place, out);
    const names = traceNames(place);
    const { executions } = await assessTraces(place, names, given ?? now);
    const fresh = executions.map(({ assessment }) => assessment);
    const assessments = [...keptOf(place, new Set(fresh.map(({ execution_id }) => execution_id))), ...fresh].sort((one, other) =>
      one.completed_at < other.completed_at ? -1 : one.completed_at > other.completed_at ? 1 : 0,
    );
    const model = modelOf(place);
    const page = dashboard({
      project: basename(project.root),
      generatedAt: given ?? now,
      assessments,
      facts: executions.map(({ facts }) => facts),
      suggestions: suggest(names.slice(-looksBack).map((name) => factsIn(place, name))),
      ...(model ? { model } : {}),
    });
    platform.files.writeWhole(path, page);
    const runs = new Set(assessments.map(({ run_id }) => run_id)).size;
    return { file: out, runs, executions: assessments.length, bytes: new TextEncoder().encode(page).length };
  },
});

/** Whatever keeps it from being written there leads to the same place to write it to. */
function placeFor({ platform, project }: Place, out: string): string {
  try {
    return platform.files.inside(project.root, out);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    throw skillRefusal(73, error.message, 'cleo assess dashboard --out assessment.html', { path: out });
  }
}

/** A line may have been written by a version that says more. */
const Line = object(Assessment.entries);

/** What was assessed while there was a trace of it: of each execution the last assessment. */
function keptOf({ platform, project }: Place, known: Set<string>): Assessment[] {
  const kept = new Map<string, Assessment>();
  for (const line of (platform.files.readText(`${project.folder}/${assessmentsFile}`) ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const read = safeParse(Line, parsed(line));
    if (read.success && !known.has(read.output.execution_id)) kept.set(read.output.execution_id, read.output);
  }
  return [...kept.values()];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
