import { doneBy } from '../../assessment/reuse.ts';
import type { RunRequest } from '../../assessment/run-state.ts';
import { commandLine } from '../../errors/quote.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { TaskId } from '../../model/scalars.ts';
import type { RunRecord } from '../../model/trace.ts';
import type { Ground } from '../../platform/ground-port.ts';
import { isSafeValue, variablesIn } from '../../rules/construct/variables.ts';
import { isMap } from '../../rules/is-map.ts';
import { nearest } from '../../rules/nearest.ts';
import type { JobContext } from '../define.ts';

export interface Asked {
  project?: string | undefined;
  var?: string[] | undefined;
  intent?: string | undefined;
  task?: TaskId | undefined;
  input?: Record<string, unknown> | undefined;
  resume?: string | undefined;
  force?: string | undefined;
  reason?: string | undefined;
  timeout?: number | undefined;
  cached?: boolean | undefined;
  wait?: number | undefined;
  capture?: 'none' | 'hashed' | 'full' | undefined;
  noJudgeCache?: boolean | undefined;
  /** Somebody said which skill it is to be. */
  isSkillNamed?: boolean | undefined;
}

const gates = ['selection', 'precondition', 'execution', 'output', 'goal'];
const known = ['project', 'run_id', 'phase', 'date'];

/** What is to be run, once everything that was asked for is known to make sense. */
export async function requestOf(
  here: JobContext,
  ground: Ground,
  construct: Construct,
  asked: Asked,
  phases: string[],
  kind: RunRequest['kind'],
): Promise<RunRequest> {
  const task = asked.task === undefined ? undefined : await (await import('./link.ts')).admitTask(here, asked.task, construct);
  const gate = asked.force === undefined ? undefined : gateOf(here, asked.force);
  if (gate !== undefined && !asked.reason)
    throw skillRefusal(64, '--force needs --reason', here.commandWith({ reason: 'why it is right here' }));
  const resume = asked.resume === undefined ? undefined : resumed(ground, asked.resume, construct, kind);
  const isChanged = resume?.construct !== undefined && resume.construct?.sha256 !== construct.sha256;
  if (resume && isChanged && gate !== 'manifest')
    throw skillRefusal(
      78,
      `${construct.file} is not what it was when ${resume.run_id} began`,
      here.commandWith({ force: 'manifest', reason: 'the manifest was changed on purpose' }),
      { run: resume.run_id },
    );
  const intent = asked.intent ?? task ?? resume?.intent ?? undefined;
  const project = asked.project ?? resume?.project;
  const request: RunRequest = {
    construct: asked.capture === undefined ? construct : { ...construct, capture: { ...construct.capture, inputs: asked.capture } },
    ...{ kind, phases, vars: { ...resume?.vars, ...varsOf(here, asked.var ?? []) } },
    project: projectName(project ?? here.config()['assessment.project'], construct),
    defaults: project === undefined ? ['project'] : [],
    ...(intent === undefined ? {} : { intent }),
    ...(asked.task ? { taskId: asked.task } : resume?.task_id ? { taskId: resume.task_id } : {}),
    ...(here.caller.session ? { sessionId: here.caller.session } : {}),
    agent: here.caller.agent,
    ...{ inputs: asked.input ?? {}, reusable: asked.cached ? earlier(ground, construct) : [] },
    ...(resume ? { resume } : {}),
    ...(typeof gate === 'number' ? { force: { gate, reason: asked.reason! } } : {}),
    ...(isChanged ? { changedManifest: asked.reason! } : {}),
    ...(asked.timeout === undefined ? {} : { timeoutMs: asked.timeout }),
    ...{ waitMs: asked.wait ?? 0, isNamed: kind === 'skill' || asked.isSkillNamed === true, usesJudgeCache: asked.noJudgeCache !== true },
  };
  checkVariables(here, request);
  return request;
}

/** The gate that is meant, by its name or number. What a skill ended with is so, whatever anybody wants. */
function gateOf(here: JobContext, name: string): number | 'manifest' {
  const gate = /^[0-4]$/.test(name) ? Number(name) : gates.indexOf(name);
  if (name === 'manifest') return name;
  if (gate === 2) throw skillRefusal(64, 'the execution gate cannot be forced', here.commandWith({ force: 'output' }), { gates });
  if (gate >= 0) return gate;
  const [meant] = nearest(name, [...gates, 'manifest'], 1);
  throw skillRefusal(64, `there is no gate ${JSON.stringify(name)}`, here.commandWith({ force: meant ?? 'output' }), { gates });
}

/** The run that is gone on with, and what it has done by now. */
function resumed(ground: Ground, id: string, { name }: Construct, kind: RunRequest['kind']): RunRecord {
  const record = recordOf(ground, id);
  if (record.kind !== kind || (kind === 'skill' && record.construct?.name !== name))
    throw skillRefusal(
      64,
      `${id} is a run of the ${record.kind} ${record.construct?.name ?? ''}`,
      commandLine([
        'cleo',
        ...(record.kind === 'skill' ? ['skill', 'run', record.construct?.name ?? ''] : ['construct', 'run']),
        '--resume',
        id,
      ]),
      { run: id },
    );
  // A value that had to be hidden is nobody's value.
  const vars = Object.fromEntries(Object.entries(record.vars).filter(([, value]) => isSafeValue(value)));
  return { ...record, vars, executions: doneBy(ground, record) };
}

export function varsOf(here: Pick<JobContext, 'commandWith'>, given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined)
        throw skillRefusal(64, `--var is name=value, not ${JSON.stringify(one)}`, here.commandWith({ var: ['name=value'] }));
      if (known.includes(name)) throw skillRefusal(64, `{${name}} is not yours to set`, 'cleo help construct run');
      checkValue(name, value);
      return [name, value];
    }),
  );
}

export function projectName(asked: string | undefined, construct: Construct): string {
  const name = asked || construct.name;
  checkValue('project', name);
  return name;
}

function checkValue(name: string, value: string): void {
  if (!isSafeValue(value))
    throw skillRefusal(
      78,
      `{${name}} cannot be ${JSON.stringify(value)}: letters, digits, dots, hyphens, no path`,
      'cleo help construct run',
      { variable: name },
    );
}

/** A path with a name that nobody has given a value would be another path. */
export function checkVariables(here: Pick<JobContext, 'commandWith'>, { construct, vars }: Pick<RunRequest, 'construct' | 'vars'>): void {
  const paths = [
    ...construct.phases.flatMap(({ inputs, outputs, gates }) => [
      ...[...inputs, ...outputs].map(({ path }) => path),
      ...[...gates.precondition.checks, ...gates.output.checks].flatMap((one) => ('path' in one ? [one.path] : [])),
    ]),
    ...construct.handoffs.flatMap(({ required, optional }) => [...required, ...optional].map(({ path }) => path)),
  ];
  const missing = variablesIn(paths).filter((name) => !known.includes(name) && !Object.hasOwn(vars, name));
  if (missing.length > 0)
    throw skillRefusal(78, `nobody says what {${missing[0]}} is`, here.commandWith({ var: missing.map((name) => `${name}=value`) }), {
      variables: missing,
    });
}

export function recordOf(ground: Ground, id: string): RunRecord {
  const text = /^[A-Za-z0-9._-]+$/.test(id) ? ground.runs.read(id, 'run.json') : undefined;
  if (text === undefined) {
    const near = nearest(id, ground.runs.list(), 1)[0] ?? ground.runs.list().at(-1);
    throw skillRefusal(
      64,
      `there is no run ${JSON.stringify(id)}`,
      near ? commandLine(['cleo', 'trace', 'show', near]) : 'cleo trace list',
      { run: id },
    );
  }
  const record = read(text);
  if (!record) throw skillRefusal(65, `the record of ${id} is damaged`, commandLine(['cleo', 'trace', 'verify', id]), { run: id });
  return record;
}

/** Undefined where there is none, or none that can be read: a run that was killed as it began has none yet. */
function read(text: string | undefined): RunRecord | undefined {
  try {
    const record = JSON.parse(text ?? '') as RunRecord;
    return typeof record?.run_id === 'string' && Array.isArray(record.executions) && isMap(record.vars) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Executions of earlier runs of the same construct, the newest first. */
function earlier(ground: Ground, construct: Construct): RunRecord['executions'] {
  return ground.runs
    .list()
    .reverse()
    .slice(0, 20)
    .flatMap((id) => {
      const record = read(ground.runs.read(id, 'run.json'));
      return record?.construct?.name === construct.name ? record.executions : [];
    });
}
