import type { Ground } from '../platform/ground-port.ts';
import { meaningOf } from '../rules/exit-class.ts';
import { gateOf, gateWithout } from '../rules/gate/gate.ts';
import type { Lookout } from './found.ts';
import { preconditions } from './preconditions.ts';
import type { RunRequest, Scene } from './run-state.ts';

/** What each skill of a run would begin with. Only the first phase is judged: what the others receive is still to be made. */
export async function preview(ground: Ground, request: RunRequest, lookout: Lookout) {
  const scene: Scene = { ground, request, lookout, left: new Map(), record: { run_id: 'dry-run', started_at: ground.now() } };
  const planned = [];
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    const isFirst = phase.name === request.phases[0];
    const { checks, code } = await preconditions(scene, phase, []);
    const gate = isFirst ? gateOf(1, checks, phase.gates.precondition.severity, ground.now()) : gateWithout(1, 'not_reached', ground.now());
    const isReady = !isFirst || gate.passed || gate.severity === 'warn';
    const ended = meaningOf(isReady ? 0 : code);
    for (const skill of phase.skills)
      planned.push({
        ...{
          phase: phase.name,
          skill,
          status: isReady ? 'ready' : 'not_ready',
          exitCode: ended.code,
          class: ended.class,
          attempts: 0,
          durationMs: 0,
        },
        gates: ['not_reached', gate.status, 'not_reached', 'not_reached', 'not_reached'],
        ...(isReady ? {} : { warnings: gate.details.failures.map(({ name, message }) => ({ code: name, message })) }),
        isReady,
      });
  }
  return planned;
}
