import type { Ground } from '#platform/ground-port.ts';
import type { SkillSpec } from '../model/construct.ts';
import { meaningOf } from '../rules/exit-class.ts';
import { gateOf, gateWithout } from '../rules/gate/gate.ts';
import { isAbsent, skillCommand } from '../rules/skill-command.ts';
import type { Lookout } from './found.ts';
import { preconditions } from './preconditions.ts';
import type { RunRequest, Scene } from './run-state.ts';

/** What each skill of a run would begin with. Only the first phase is judged: what the others receive is still to be made. */
export async function preview(ground: Ground, request: RunRequest, lookout: Lookout) {
  const scene: Scene = { ground, request, lookout, left: new Map(), record: { run_id: 'dry-run', started_at: ground.now() } };
  const planned = [];
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    const isFirst = phase.name === request.phases[0];
    const before = isFirst ? await preconditions(scene, phase, []) : undefined;
    const gate = before
      ? gateOf(1, before.checks, phase.gates.precondition.severity, ground.now())
      : gateWithout(1, 'not_reached', ground.now());
    const isOpen = !before || gate.passed || gate.severity === 'warn';
    const failures = isOpen ? [] : gate.details.failures.map(({ name, message }) => ({ code: name, message }));
    for (const skill of phase.skills) {
      const lack = await lackOf(ground, request, skill);
      const ended = meaningOf(isOpen ? (lack?.code ?? 0) : before.code);
      const warnings = [...failures, ...(lack ? [{ code: lack.name, message: lack.problem }] : [])];
      const isReady = warnings.length === 0;
      planned.push({
        ...{ phase: phase.name, skill, status: isReady ? 'ready' : 'not_ready' },
        ...{ exitCode: ended.code, class: ended.class, attempts: 0, durationMs: 0 },
        gates: ['not_reached', gate.status, 'not_reached', 'not_reached', 'not_reached'],
        ...(isReady ? {} : { warnings }),
        isReady,
      });
    }
  }
  return planned;
}

/** Why a skill that has to be run could not be. */
async function lackOf(ground: Ground, { construct }: RunRequest, name: string) {
  const skill: Pick<SkillSpec, 'name' | 'path' | 'run' | 'required'> = construct.skills.find((one) => one.name === name) ?? {
    name,
    required: true,
  };
  const found = await ground.findSkill(name, skill.path);
  const command = skillCommand(skill, found, construct.executor);
  return 'code' in command && !isAbsent(skill, found) ? command : undefined;
}
