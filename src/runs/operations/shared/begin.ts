import type { JobContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { nearest } from '#lib/nearest.ts';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { RunRecord } from '../../model/trace.ts';
import { isSafeValue, variablesIn } from '../../rules/construct/variables.ts';
import { recordOf } from '../../runner/kept-runs.ts';
import type { RunRequest } from '../../runner/run-state.ts';

export interface Asked {
  project?: string | undefined;
  var?: string[] | undefined;
  intent?: string | undefined;
  task?: TaskId | undefined;
  input?: Record<string, unknown> | undefined;
  resume?: RunRecord | undefined;
  /** Of a construct, this skill alone; without one, what it is to make. */
  skill?: string | undefined;
  outputs?: string[] | undefined;
  force?: string | undefined;
  reason?: string | undefined;
  timeout?: number | undefined;
  cached?: boolean | undefined;
  wait?: number | undefined;
  capture?: 'none' | 'hashed' | 'full' | undefined;
  noJudgeCache?: boolean | undefined;
}

const gates = ['selection', 'precondition', 'execution', 'output', 'goal'];
const known = ['project', 'run_id', 'phase', 'date'];

/** What is to be run, once everything that was asked for is known to make sense. */
export async function requestOf(
  ctx: JobContext,
  ground: Ground,
  construct: Construct,
  asked: Asked,
  phases: string[],
  kind: RunRequest['kind'],
): Promise<RunRequest> {
  const { resume } = asked;
  const taskId = asked.task ?? ((resume?.task_id ?? undefined) as TaskId | undefined);
  const title = taskId === undefined ? undefined : await (await import('./link.ts')).admitTask(ctx, taskId, construct);
  const gate = asked.force === undefined ? undefined : gateOf(ctx, asked.force, asked.reason);
  const isChanged = resume?.construct !== undefined && resume.construct?.sha256 !== construct.sha256;
  if (resume && isChanged && gate !== 'manifest')
    throw skillRefusal(
      78,
      `${construct.file} is not what it was when ${resume.run_id} began`,
      ctx.commandWith({ force: 'manifest', reason: 'the manifest was changed on purpose' }),
      { run: resume.run_id },
    );
  const kept = resume && (await import('./resume.ts')).keptOf(ctx, ground, resume, asked, title);
  const intent = kept ? kept.intent : (asked.intent ?? title);
  const usual = ctx.config()['assessment.project'] || (construct.project ?? construct.name);
  const project = projectName(ctx, asked.project || resume?.project || usual);
  const capture = asked.capture ?? resume?.asked.capture ?? null;
  const request: RunRequest = {
    construct: capture === null ? construct : { ...construct, capture: { ...construct.capture, inputs: capture } },
    ...{ kind, phases, project, vars: { ...resume?.vars, ...varsOf(ctx, asked.var ?? []) } },
    defaults: !asked.project && project === usual ? ['project'] : [],
    ...(intent === undefined ? {} : { intent }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(ctx.caller.session ? { sessionId: ctx.caller.session } : {}),
    agent: ctx.caller.agent,
    inputs: asked.input ?? kept?.inputs ?? {},
    asked: { capture, skill: asked.skill ?? null, outputs: asked.outputs ?? [] },
    reusable: asked.cached ? earlier(ground, construct) : [],
    ...(resume ? { resume } : {}),
    ...(typeof gate === 'number' ? { force: { gate, reason: asked.reason! } } : {}),
    ...(isChanged ? { changedManifest: asked.reason! } : {}),
    ...(asked.timeout === undefined ? {} : { timeoutMs: asked.timeout }),
    ...{
      waitMs: asked.wait ?? 0,
      waiting: ctx.commandWith({ wait: Math.max(600_000, asked.wait ?? 0) }),
      isNamed: kind === 'skill' || asked.skill !== undefined,
      usesJudgeCache: asked.noJudgeCache !== true,
    },
  };
  checkVariables(ctx, request);
  return request;
}

/** The gate that is meant, by its name or number. What a skill ended with is so, whatever anybody wants. */
function gateOf(ctx: JobContext, name: string, reason: string | undefined): number | 'manifest' {
  const gate = /^[0-4]$/.test(name) ? Number(name) : gates.indexOf(name);
  const because = reason || 'why it is right here';
  const other = (force: string): string => ctx.commandWith({ force, reason: because });
  if (gate === 2) throw skillRefusal(64, 'the execution gate cannot be forced', other('output'), { gates });
  if (gate < 0 && name !== 'manifest') {
    const [meant] = nearest(name, [...gates, 'manifest'], 1);
    throw skillRefusal(64, `there is no gate ${JSON.stringify(name)}`, other(meant ?? 'output'), { gates });
  }
  if (!reason) throw skillRefusal(64, '--force needs --reason', other(name));
  return name === 'manifest' ? name : gate;
}

export function varsOf(ctx: Pick<JobContext, 'commandWith'>, given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined)
        throw skillRefusal(
          64,
          `--var is name=value, not ${JSON.stringify(one)}`,
          ctx.commandWith({ var: given.map((other) => (other === one ? `${/^[A-Za-z_]\w*$/.test(one) ? one : 'name'}=value` : other)) }),
        );
      if (known.includes(name)) throw skillRefusal(64, `{${name}} is not yours to set`, 'cleo help construct run');
      checkValue(name, value, () => ctx.commandWith({ var: given.map((other) => (other === one ? `${name}=value` : other)) }));
      return [name, value];
    }),
  );
}

export function projectName(ctx: Pick<JobContext, 'commandWith'>, name: string): string {
  checkValue('project', name, () => ctx.commandWith({ project: 'name' }));
  return name;
}

function checkValue(name: string, value: string, fix: () => string): void {
  if (isSafeValue(value)) return;
  throw skillRefusal(78, `{${name}} cannot be ${JSON.stringify(value)}: letters, digits, dots, hyphens, underscores, no path`, fix(), {
    variable: name,
  });
}

/** A path with a name that nobody has given a value would be another path. */
export function checkVariables(ctx: Pick<JobContext, 'commandWith'>, { construct, vars }: Pick<RunRequest, 'construct' | 'vars'>): void {
  const paths = [
    ...construct.phases.flatMap(({ inputs, outputs, gates }) => [
      ...[...inputs, ...outputs].map(({ path }) => path),
      ...[...gates.precondition.checks, ...gates.output.checks].flatMap((one) => ('path' in one ? [one.path] : [])),
    ]),
    ...construct.handoffs.flatMap(({ required, optional }) => [...required, ...optional].map(({ path }) => path)),
  ];
  const missing = variablesIn(paths).filter((name) => !known.includes(name) && !Object.hasOwn(vars, name));
  if (missing.length > 0)
    throw skillRefusal(78, `nobody says what {${missing[0]}} is`, ctx.commandWith({ var: missing.map((name) => `${name}=value`) }), {
      variables: missing,
    });
}

/** Executions of earlier runs of the same construct, the newest first. */
function earlier(ground: Ground, construct: Construct): RunRecord['executions'] {
  return ground.runs
    .list()
    .reverse()
    .slice(0, 20)
    .flatMap((id) => {
      const record = recordOf(ground, id);
      return record?.construct?.name === construct.name ? record.executions : [];
    });
}
