import { strictObject } from 'valibot';
import { answer, job } from '#core/define.ts';
import { createSkillError } from '#runs/errors/skill.ts';
import { CalibratedModelSchema } from '../model/assessment.ts';
import { type CalibratedExecution, calibrate, findShortage } from '../rules/calibrate.ts';
import { nowParam } from './shared/now-param.ts';
import { assessTraces, listTraceNames, modelFile, readHumanVerdicts } from './shared/traces.ts';

export const assessCalibrate = job({
  name: 'assess.calibrate',
  summary: 'Train a model that predicts human verdicts',
  params: strictObject({ now: nowParam }),
  result: strictObject({ model: CalibratedModelSchema }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess calibrate', view: async () => (await import('../view.ts')).assessView },
  example: { world: ['judged 40'], call: { now: '2026-02-01T00:00:00.000Z' } },
  async run(ctx, { now = ctx.now }) {
    const { platform, project } = ctx;
    const verdicts = readHumanVerdicts(ctx);
    const { executions } = await assessTraces(ctx, listTraceNames(ctx), now);
    const judged = executions.flatMap(({ facts, assessment }): CalibratedExecution[] => {
      const verdict = verdicts.get(facts.executionId)?.verdict;
      return verdict ? [{ facts, assessment, verdict }] : [];
    });
    const problem = findShortage(judged);
    if (problem) throw createSkillError(65, problem, 'cleo help review', { verdicts: judged.length });
    const model = calibrate(judged, { trainedAt: now, hash: platform.sha256 });
    platform.files.createFolder(`${project.folder}/assess`);
    platform.files.writeAtomic(`${project.folder}/${modelFile}`, `${JSON.stringify(model, null, 2)}\n`);
    return answer({ model }, model.reason ? { warnings: [`not used: ${model.reason}`] } : {});
  },
});
