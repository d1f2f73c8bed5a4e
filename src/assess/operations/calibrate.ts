import { strictObject } from 'valibot';
import { answer, job } from '#core/define.ts';
import { skillRefusal } from '#runs/errors/skill.ts';
import { CalibratedModel } from '../model/assessment.ts';
import { calibrate, type Judged, shortage } from '../rules/calibrate.ts';
import { nowParam } from './shared/now.ts';
import { assessTraces, humanVerdicts, modelFile, traceNames } from './shared/traces.ts';

export const assessCalibrate = job({
  name: 'assess.calibrate',
  summary: 'Learn from the verdicts of people to predict them, and measure how well',
  params: strictObject({ now: nowParam }),
  result: strictObject({ model: CalibratedModel }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'assess calibrate' },
  example: { world: ['judged 40'], call: { now: '2026-02-01T00:00:00.000Z' } },
  async run({ platform, project, now }, { now: given }) {
    const place = { platform, project };
    const verdicts = await humanVerdicts(place);
    const { executions } = await assessTraces(place, traceNames(place), given ?? now);
    const judged = executions.flatMap(({ facts, assessment }): Judged[] => {
      const verdict = verdicts.get(facts.executionId)?.verdict;
      return verdict ? [{ facts, assessment, verdict }] : [];
    });
    const problem = shortage(judged);
    if (problem) throw skillRefusal(65, problem, 'cleo review list', { verdicts: judged.length });
    const model = calibrate(judged, { trainedAt: given ?? now, hash: platform.sha256 });
    platform.files.makeFolder(`${project.folder}/assess`);
    platform.files.writeWhole(`${project.folder}/${modelFile}`, `${JSON.stringify(model, null, 2)}\n`);
    return answer({ model }, model.reason ? { warnings: [`not used: ${model.reason}`] } : {});
  },
});
