import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { PhaseSpec, SkillSpec } from '../model/construct.ts';
import type { Warning } from '../model/execution.ts';
import { createUncheckedGate, toGateResult } from '../rules/gate/gate.ts';
import { explainExit, isOptionalAndAbsent, resolveSkillCommand } from '../rules/skill-contract.ts';
import type { Schemas } from './artifacts.ts';
import { checkPreconditions } from './gates.ts';
import { createRunContext, type RunContext, type RunRequest } from './run-context.ts';

/** Creates the context of a run that is only checked. Capture is disabled, so that nothing is written. */
export function createPreviewContext(
  platform: RunnerPlatform,
  { construct, ...request }: Pick<RunRequest, 'construct' | 'project' | 'vars'> & Partial<RunRequest>,
  schemas: Schemas,
  runId = 'dry-run',
): RunContext {
  return createRunContext(
    platform,
    runId,
    {
      kind: 'construct',
      inputs: {},
      asked: { skill: null, outputs: [], capture: null },
      phases: [],
      reusable: [],
      defaults: [],
      waitMs: 0,
      waitCommand: '',
      isNamed: false,
      usesJudgeCache: true,
      ...request,
      construct: { ...construct, capture: { ...construct.capture, enabled: false } },
    },
    { signal: new AbortController().signal, patterns: [], schemas, observe: () => {} },
  );
}

/** Lists the executions of a run and whether each could start. Only the first phase is checked: the inputs of later phases do not exist
 *  yet. */
export async function previewExecutions(platform: RunnerPlatform, request: RunRequest, schemas: Schemas) {
  const run = createPreviewContext(platform, request, schemas);
  const planned = [];
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    const isFirst = phase.name === request.phases[0];
    const before = isFirst ? await checkPreconditions(run, omitCommands(phase), []) : undefined;
    const gate = before
      ? toGateResult('precondition', before.checks, before.severity, platform.now())
      : createUncheckedGate('precondition', 'not_reached', platform.now());
    const isOpen = !before || gate.passed || gate.severity === 'warn';
    const failures = isOpen ? [] : gate.details.failures.map(({ name, message }) => ({ code: name, message }));
    const skipped = isFirst ? listCommands(phase) : [];
    for (const skill of phase.skills) {
      const missing = await findMissingCommand(platform, request, skill);
      const ended = explainExit(isOpen ? (missing?.code ?? 0) : before.code);
      const problems = [...failures, ...(missing ? [{ code: missing.name, message: missing.problem }] : [])];
      const isReady = problems.length === 0;
      const warnings = [...problems, ...skipped];
      planned.push({
        phase: phase.name,
        skill,
        status: isReady ? 'ready' : 'not_ready',
        exitCode: ended.code,
        class: ended.class,
        attempts: 0,
        durationMs: 0,
        gates: ['not_reached', gate.status, 'not_reached', 'not_reached', 'not_reached'],
        ...(warnings.length === 0 ? {} : { warnings }),
        isReady,
      });
    }
  }
  return planned;
}

/** A phase without its checks that run a program: a dry run runs nothing. */
const omitCommands = ({ gates, ...phase }: PhaseSpec): PhaseSpec => ({
  ...phase,
  gates: { ...gates, precondition: { ...gates.precondition, checks: gates.precondition.checks.filter(({ kind }) => kind !== 'command') } },
});

const listCommands = ({ gates }: PhaseSpec): Warning[] =>
  gates.precondition.checks.flatMap((check) =>
    check.kind === 'command'
      ? [{ code: 'check_not_run', message: `a dry run runs no programs; ${check.name} was not checked: ${check.argv.join(' ')}` }]
      : [],
  );

/** The reason why a required skill has no command. */
async function findMissingCommand(platform: RunnerPlatform, { construct }: RunRequest, name: string) {
  const skill: Pick<SkillSpec, 'name' | 'path' | 'run' | 'required'> = construct.skills.find((one) => one.name === name) ?? {
    name,
    required: true,
  };
  const info = await platform.findSkill(name, skill.path);
  const command = resolveSkillCommand(skill, info, construct.executor);
  return 'code' in command && !isOptionalAndAbsent(skill, info) ? command : undefined;
}
