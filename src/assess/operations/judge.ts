import { array, boolean, description, metadata, nullable, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, job, noData } from '#core/define.ts';
import { FilePath } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError, showConstructCommand } from '#runs/errors/skill.ts';
import { createReviewRedactor } from '#runs/operations/shared/review-redactor.ts';
import { ConstructPath, readConstructManifest, requireConstruct } from '#runs/operations/shared/run-request.ts';
import { parseEvents } from '#runs/rules/trace.ts';
import { listJudgeable } from '#runs/rules/trace-goals.ts';
import { appendToTrace, type TraceAddition } from '#runs/runner/append-to-trace.ts';
import { getSubject } from '#runs/runner/gates.ts';
import { judgeGoal } from '#runs/runner/goal-judge.ts';
import { createPreviewContext } from '#runs/runner/preview.ts';
import type { RunContext } from '#runs/runner/run-context.ts';
import { findRun, isRunLive, readRunRecord } from '#runs/runner/stored-runs.ts';

const Judgement = strictObject({
  executionId: string(),
  phase: string(),
  skill: string(),
  goal: string(),
  outcome: picklist(['pass', 'fail', 'pending']),
  score: nullable(number()),
  reason: string(),
  /** The review that was opened because the judge could not decide. */
  review: optional(string()),
});

export const assessJudge = job({
  name: 'assess.judge',
  summary: 'Judge whether a finished run reached its goals',
  params: strictObject({
    run: pipe(FilePath, description('Run id or trace name'), metadata({ value: 'RUN' })),
    file: ConstructPath,
    noJudgeCache: optional(pipe(boolean(), description('Ask the judge again even if it answered the same question before'))),
  }),
  result: strictObject({ judgements: array(Judgement), runId: string() }),
  errors: ['E_SKILL'],
  tier: 2,
  usesHost: true,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess judge', args: ['run'], view: async () => (await import('../view.ts')).assessView },
  example: { world: ['run run-1 2026-01-31 discovery/write', 'construct'], call: { run: 'run-1' }, exit: 78 },
  async run(ctx, { run: name, file, noJudgeCache = false }) {
    const runner = await ctx.platform.createRunner(ctx.project);
    const { runId, trace } = findRun(runner, name);
    const record = readRunRecord(runner, runId);
    if (isRunLive(runner, record)) throw createSkillError(75, `${runId} has not ended`, `cleo trace tail ${runId}`, { run: runId });
    if (!trace)
      throw createSkillError(66, `${runId} has no trace: it was pruned, or nothing was captured`, 'cleo trace list', { run: runId });
    const manifest = await readConstructManifest(ctx, file, record?.construct?.file || undefined);
    const construct = requireConstruct(manifest, true);
    if (!construct.judge)
      throw createSkillError(78, `${manifest.file} has no assessment.judge`, showConstructCommand(manifest.file), { file: manifest.file });
    await (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { files: [{ path: manifest.file, sha256: construct.sha256 }] });
    const { lines } = parseEvents(runner.traces.read(trace)?.text ?? '');
    const executions = listJudgeable(
      lines.map(({ line }) => line),
      record?.intent ?? null,
    );
    const additions: TraceAddition[] = [];
    const signal = new AbortController().signal;
    const preview = createPreviewContext(
      runner,
      { construct, project: record?.project ?? construct.name, vars: record?.vars ?? {}, usesJudgeCache: !noJudgeCache },
      manifest.schemas,
      runId,
    );
    const run: RunContext = {
      ...preview,
      redactor: await createReviewRedactor(ctx, runner, runId),
      signal,
      emit: (event, data, subject) => void additions.push({ event, data, subject: subject ?? {} }),
    };
    const judgements = [];
    const warnings: string[] = [];
    for (const { executionId, phase, skill, goal, evidence, artifacts } of executions) {
      const execution = { id: executionId, phase: { name: phase }, skill: { name: skill }, evidence };
      const present = artifacts.filter(({ path, checksum }) => isUnchanged(runner, path, checksum));
      for (const { path } of artifacts)
        if (!present.some((one) => one.path === path)) warnings.push(`${path} has changed since ${runId}; the judge does not see it`);
      const spec = construct.phases.find((one) => one.name === phase)?.goal ?? construct.goal;
      const judged = await judgeGoal(run, { ...execution, artifacts: present }, { ...spec, mode: 'judge', enforce: false }, goal);
      if (!judged) continue;
      const { result } = judged;
      const [check] = result.details.checks_performed;
      const review = additions.findLast(({ event, subject }) => event === 'review_requested' && subject.execution_id === executionId);
      const isPending = result.status === 'pending';
      additions.push({
        event: 'gate_checked',
        data: {
          gate_id: result.gate,
          name: result.name,
          status: result.status,
          passed: result.passed,
          severity: result.severity,
          checks_performed: result.details.checks_performed,
          failures: result.details.failures,
          failures_if_any: result.details.failures,
          remediation_attempted: false,
          deferred: true,
        },
        subject: getSubject(execution),
      });
      judgements.push({
        executionId,
        phase,
        skill,
        goal: run.redactor.text(goal),
        outcome: isPending ? ('pending' as const) : result.passed ? ('pass' as const) : ('fail' as const),
        score: typeof check?.evidence.actual === 'number' ? check.evidence.actual : null,
        reason: run.redactor.text(check?.message ?? judged.warnings[0]?.message ?? ''),
        ...defined({ review: isPending ? (review?.data.review_id as string | undefined) : undefined }),
      });
    }
    const problem = additions.length > 0 ? await appendToTrace(runner, runId, 'judge_called', () => additions) : undefined;
    if (judgements.length === 0) return noData({ judgements, runId });
    return answer({ judgements, runId }, { warnings: [...warnings, ...(problem ? [problem] : [])] });
  },
});

const isUnchanged = (runner: RunnerPlatform, path: string, checksum: string): boolean =>
  runner.statFile(path)?.kind === 'file' && runner.hashFile(path) === checksum;
