import type { RunRequest } from '../../assessment/run-state.ts';
import { commandLine } from '../../errors/quote.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { TaskId } from '../../model/scalars.ts';
import type { RunRecord } from '../../model/trace.ts';
import type { Ground } from '../../platform/ground-port.ts';
import { isSafeValue, variablesIn } from '../../rules/construct/variables.ts';
import { nearest } from '../../rules/nearest.ts';
import type { JobContext } from '../define.ts';

export interface Asked {
  project?: string | undefined;
  var?: string[] | undefined;
  intent?: string | undefined;
  task?: TaskId | undefined;
  input?: Record<string, unknown> | undefined;
  resume?: string | undefined;
  force?: 'selection' | 'precondition' | 'output' | 'manifest' | undefined;
  reason?: string | undefined;
  timeout?: number | undefined;
  cached?: boolean | undefined;
  wait?: number | undefined;
  capture?: 'none' | 'hashed' | 'full' | undefined;
  noJudgeCache?: boolean | undefined;
}

const gateNumbers = { selection: 0, precondition: 1, output: 3 } as const;
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
  if (asked.force !== undefined && !asked.reason)
    throw skillRefusal(64, '--force needs --reason', here.commandWith({ reason: 'why it is right here' }));
  const resume = asked.resume === undefined ? undefined : recordOf(ground, asked.resume);
  const isManifestForced = asked.force === 'manifest';
  if (resume?.construct && resume.construct.sha256 !== construct.sha256 && !isManifestForced)
    throw skillRefusal(
      78,
      `${construct.file} is not what it was when ${resume.run_id} began`,
      here.commandWith({ force: 'manifest', reason: 'the manifest was changed on purpose' }),
      { run: resume.run_id },
    );
  const intent = asked.intent ?? task ?? resume?.intent ?? undefined;
  const request: RunRequest = {
    construct: asked.capture === undefined ? construct : { ...construct, capture: { ...construct.capture, inputs: asked.capture } },
    ...{ kind, phases, vars: { ...resume?.vars, ...varsOf(here, asked.var ?? []) } },
    project: projectName(here, asked.project ?? resume?.project, construct),
    ...(intent === undefined ? {} : { intent }),
    ...(asked.task ? { taskId: asked.task } : resume?.task_id ? { taskId: resume.task_id } : {}),
    ...(here.caller.session ? { sessionId: here.caller.session } : {}),
    agent: here.caller.agent,
    ...{ inputs: asked.input ?? {}, reusable: [...(resume?.executions ?? []), ...(asked.cached ? earlier(ground, construct) : [])] },
    ...(resume ? { resume } : {}),
    ...(asked.force && asked.force !== 'manifest' ? { force: { gate: gateNumbers[asked.force], reason: asked.reason! } } : {}),
    ...(asked.timeout === undefined ? {} : { timeoutMs: asked.timeout }),
    ...{ waitMs: asked.wait ?? 0, isNamed: kind === 'skill', usesJudgeCache: asked.noJudgeCache !== true },
  };
  checkVariables(here, request);
  return request;
}

function varsOf(here: JobContext, given: string[]): Record<string, string> {
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

function projectName(here: JobContext, asked: string | undefined, construct: Construct): string {
  const name = asked ?? (here.config()['assessment.project'] || construct.name);
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
function checkVariables(here: JobContext, { construct, vars }: RunRequest): void {
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
  try {
    return JSON.parse(text) as RunRecord;
  } catch {
    throw skillRefusal(65, `the record of ${id} is damaged`, commandLine(['cleo', 'trace', 'verify', id]), { run: id });
  }
}

/** Executions of earlier runs of the same construct, the newest first. */
function earlier(ground: Ground, construct: Construct): RunRecord['executions'] {
  return ground.runs
    .list()
    .reverse()
    .slice(0, 20)
    .flatMap((id) => {
      const record = recordOf(ground, id);
      return record.construct?.name === construct.name ? record.executions : [];
    });
}
