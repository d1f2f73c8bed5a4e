import { array, boolean, check, custom, description, maxLength, metadata, optional, picklist, pipe, string } from 'valibot';
import type { ConditionalScope, JobContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { isDeeperThan } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError, showConstructCommand } from '../../errors/skill.ts';
import type { Construct, ManifestFinding } from '../../model/construct.ts';
import { type RunGateName, runGateNames } from '../../model/execution.ts';
import type { RunRecord } from '../../model/trace.ts';
import { findVariables, hasCommands, isSafePathSegment, manifestNames } from '../../rules/construct/conventions.ts';
import type { ConstructReading } from '../../rules/construct/read.ts';
import { maxDepth } from '../../rules/skill-contract.ts';
import { decodeUtf8, findProjectPath, loadSchemas, type Schemas, toProjectPath } from '../../runner/artifacts.ts';
import type { RunRequest, RunSetup } from '../../runner/run-context.ts';

export const ConstructPath = optional(
  pipe(
    string(),
    maxLength(4096, 'must have at most 4096 characters'),
    description('Manifest file (default: construct.yaml, then .cleo/construct.yaml)'),
    metadata({ value: 'FILE' }),
  ),
);

interface ConstructManifest extends ConstructReading {
  file: string;
  runner: RunnerPlatform;
  schemas: Schemas;
}

/** Reads the manifest `path`, or the default one, with all its findings. A resumed run passes its own manifest as `defaultPath`. */
export async function readConstructManifest(
  { platform, project }: { platform: Platform; project: Project },
  path: string | undefined,
  defaultPath?: string,
): Promise<ConstructManifest> {
  const runner = await platform.createRunner(project);
  const exists = (one: string): boolean => runner.statFile(one) !== undefined;
  if (path !== undefined && toProjectPath(platform, project, path) === undefined)
    throw createSkillError(78, `${path} is outside the project`, 'cleo construct validate');
  const file =
    path !== undefined
      ? (findProjectPath(platform, project, path, exists) ?? path)
      : defaultPath !== undefined
        ? [defaultPath].find(exists)
        : (findProjectPath(platform, project, manifestNames[0], exists) ?? manifestNames.find(exists));
  if (file === undefined)
    throw createSkillError(78, `there is no ${defaultPath ?? manifestNames.join(' and no ')}`, 'cleo help construct run');
  const entry = runner.statFile(file);
  if (entry?.kind !== 'file') {
    const problem = entry ? 'is not a regular file inside the project' : 'does not exist';
    throw createSkillError(78, `${file} ${problem}`, 'cleo construct validate', { file });
  }
  // The parser of YAML is large, and a skill that runs without a construct needs none.
  const { maxManifestLength, readConstruct } = await import('../../rules/construct/read.ts');
  const schemas = await loadSchemas(runner.readSchemaFiles());
  const bytes = entry.size > maxManifestLength ? undefined : runner.readFile(file);
  const text = bytes && decodeUtf8(bytes);
  if (text === undefined) {
    const problem = bytes ? 'is not UTF-8' : 'is larger than 1 MiB';
    return { kind: 'other', findings: [{ severity: 'error', where: '', problem }], file, runner, schemas };
  }
  const sections = new Map(schemas.ids().map((id) => [id, schemas.document(id)?.sections.map((section) => section.id)]));
  return { ...readConstruct(file, text, { digest: runner.hash(bytes!), schemas: sections }), file, runner, schemas };
}

/** Returns the construct, or throws if the manifest has errors or is a pack, which has no phases. */
export function requireConstruct({ construct, findings, kind, file }: ConstructManifest, isSkillNamed = false): Construct {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!construct)
    throw createSkillError(78, `${file}: ${formatFinding(errors[0]!)}`, commandLine(['cleo', 'construct', 'validate', file]), {
      file,
      findings: errors,
    });
  if (kind === 'pack' && !isSkillNamed)
    throw createSkillError(78, `${file} is a pack, which has no phases; name a \`skill\``, showConstructCommand(file), { file });
  return construct;
}

export const formatFinding = ({ where, line, column, problem, fix }: ManifestFinding): string =>
  [line === undefined ? '' : `${line}:${column}: `, where ? `${where} ` : '', problem, fix ? ` (${fix})` : ''].join('');

/** The parameters of `construct run` and `skill run`. */
export interface RunParams {
  project?: string | undefined;
  var?: string[] | undefined;
  intent?: string | undefined;
  task?: TaskId | undefined;
  input?: Record<string, unknown> | undefined;
  resume?: RunRecord | undefined;
  /** Runs only this skill of a construct. */
  skill?: string | undefined;
  /** Outputs of a skill that runs without a construct. */
  outputs?: string[] | undefined;
  force?: string | undefined;
  reason?: string | undefined;
  timeout?: number | undefined;
  cached?: boolean | undefined;
  wait?: number | undefined;
  capture?: 'none' | 'hashed' | 'full' | undefined;
  noJudgeCache?: boolean | undefined;
}

/** Variables that the runner sets. */
const reservedVariables = ['project', 'run_id', 'phase', 'date'];

/** Validates the parameters and completes them with those of the resumed run. */
export async function createRunRequest(
  ctx: JobContext,
  runner: RunnerPlatform,
  construct: Construct,
  params: RunParams,
  phases: string[],
  kind: RunRequest['kind'],
): Promise<RunRequest> {
  const { resume, reason } = params;
  const taskId = params.task ?? ((resume?.task_id ?? undefined) as TaskId | undefined);
  const title = taskId === undefined ? undefined : await (await import('./task-link.ts')).requireRunTask(ctx, taskId, construct);
  const gate = params.force === undefined ? undefined : parseForcedGate(ctx, params.force, reason);
  if (gate) ctx.requireScope('decide', { subject: gate, action: `Forcing the gate ${gate}` });
  const isChanged = resume?.construct !== undefined && resume.construct?.sha256 !== construct.sha256;
  if (resume && isChanged && gate !== 'manifest')
    throw createSkillError(
      78,
      `${construct.file} has changed since ${resume.run_id} started`,
      ctx.commandWith({ force: 'manifest', reason: 'the manifest was changed on purpose' }),
      { run: resume.run_id },
    );
  const restored = resume && (await import('./resume-request.ts')).restoreRunInputs(ctx, runner, resume, params, title);
  const defaultProject = ctx.config()['assessment.project'] || (construct.project ?? construct.name);
  const project = checkProjectName(ctx, params.project || resume?.project || defaultProject);
  const capture = params.capture ?? resume?.asked.capture ?? null;
  const request: RunRequest = {
    construct: capture === null ? construct : { ...construct, capture: { ...construct.capture, inputs: capture } },
    kind,
    phases,
    project,
    vars: { ...resume?.vars, ...parseVars(ctx, params.var ?? []) },
    defaults: !params.project && project === defaultProject ? ['project'] : [],
    agent: ctx.caller.agent,
    inputs: params.input ?? restored?.inputs ?? {},
    asked: { capture, skill: params.skill ?? null, outputs: params.outputs ?? [] },
    reusable: params.cached ? await listEarlierExecutions(runner, construct) : [],
    waitMs: params.wait ?? 0,
    waitCommand: ctx.commandWith({ wait: Math.max(600_000, params.wait ?? 0) }),
    isNamed: kind === 'skill' || params.skill !== undefined,
    usesJudgeCache: params.noJudgeCache !== true,
    ...defined({
      intent: restored ? restored.intent : (params.intent ?? title),
      taskId,
      sessionId: ctx.caller.session,
      resume,
      force: gate === undefined || gate === 'manifest' ? undefined : { gate, reason: reason! },
      changedManifest: isChanged ? reason : undefined,
      timeoutMs: params.timeout,
    }),
  };
  checkVariables(ctx, request);
  return request;
}

/** The signal, redaction patterns, schemas and observer of a run. Call `stop` when the run has ended. */
export async function createRunSetup(
  ctx: JobContext,
  runner: RunnerPlatform,
  construct: Construct,
  schemas: RunSetup['schemas'],
): Promise<RunSetup & { stop(): void }> {
  await schemas.prepare(construct);
  const { patterns } = construct.redaction;
  const { signal, stop } =
    ctx.gateway === 'cli' ? runner.listenForInterrupts() : { signal: ctx.signal ?? new AbortController().signal, stop: () => {} };
  return {
    signal,
    stop,
    schemas,
    patterns: patterns.length > 0 ? (await import('./redaction-patterns.ts')).compilePatterns(patterns) : [],
    observe: (event, data, subject) => ctx.observe?.(event, data, { ...subject }),
  };
}

/** Parses --force: the name or number of a run gate, or `manifest`. The execution gate cannot be forced, because an exit code is a fact. */
function parseForcedGate(ctx: JobContext, value: string, reason: string | undefined): RunGateName | 'manifest' {
  const fix = (force: string): string => ctx.commandWith({ force, reason: reason || 'why it is safe' });
  const gate = runGateNames.find((name, number) => value === name || value === String(number));
  if (gate === 'execution') throw createSkillError(64, 'the execution gate cannot be forced', fix('output'), { gates: runGateNames });
  if (gate === undefined && value !== 'manifest') {
    const [nearest] = findNearest(value, [...runGateNames, 'manifest'], 1);
    throw createSkillError(64, `there is no gate ${JSON.stringify(value)}`, fix(nearest ?? 'output'), { gates: runGateNames });
  }
  if (!reason) throw createSkillError(64, 'force requires reason', fix(gate ?? value));
  return gate ?? 'manifest';
}

export function parseVars(ctx: Pick<JobContext, 'commandWith'>, words: string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const replaceWord = (fixed: string): string => ctx.commandWith({ var: words.map((other) => (other === word ? fixed : other)) });
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined)
        throw createSkillError(
          64,
          `var must be name=value, not ${JSON.stringify(word)}`,
          replaceWord(`${/^[A-Za-z_]\w*$/.test(word) ? word : 'name'}=value`),
        );
      if (reservedVariables.includes(name))
        throw createSkillError(64, `variable {${name}} is set by the runner; use another name`, 'cleo help construct run');
      checkPathValue(name, value, () => replaceWord(`${name}=value`));
      return [name, value];
    }),
  );
}

export function checkProjectName(ctx: Pick<JobContext, 'commandWith'>, name: string): string {
  checkPathValue('project', name, () => ctx.commandWith({ project: 'name' }));
  return name;
}

function checkPathValue(name: string, value: string, fix: () => string): void {
  if (isSafePathSegment(value)) return;
  const problem = `{${name}} cannot be ${JSON.stringify(value)}; use letters, digits, dots, hyphens and underscores`;
  throw createSkillError(78, problem, fix(), { variable: name });
}

/** Refuses a path with a variable that has no value. */
export function checkVariables(ctx: Pick<JobContext, 'commandWith'>, { construct, vars }: Pick<RunRequest, 'construct' | 'vars'>): void {
  const paths = [
    ...construct.phases.flatMap(({ inputs, outputs, gates }) => [
      ...[...inputs, ...outputs].map(({ path }) => path),
      ...[...gates.precondition.checks, ...gates.output.checks].flatMap((check) => ('path' in check ? [check.path] : [])),
    ]),
    ...construct.handoffs.flatMap(({ required, optional }) => [...required, ...optional].map(({ path }) => path)),
  ];
  const missing = findVariables(paths).filter((name) => !reservedVariables.includes(name) && !Object.hasOwn(vars, name));
  if (missing.length === 0) return;
  const problem = `variable {${missing[0]}} has no value; set it in \`var\`: ${missing[0]}=…`;
  throw createSkillError(78, problem, ctx.commandWith({ var: missing.map((name) => `${name}=value`) }), { variables: missing });
}

/** Executions of the last runs of the same construct, newest first. */
async function listEarlierExecutions(runner: RunnerPlatform, construct: Construct): Promise<RunRecord['executions']> {
  const { readRunRecord } = await import('../../runner/stored-runs.ts');
  return runner.runs
    .list()
    .reverse()
    .slice(0, 20)
    .flatMap((id) => {
      const record = readRunRecord(runner, id);
      return record?.construct?.name === construct.name ? record.executions : [];
    });
}

const text = (about: string, value: string) =>
  optional(pipe(string(), maxLength(4096, 'must have at most 4096 characters'), description(about), metadata({ value })));
export const maxMs = 86_400_000;
const milliseconds = (about: string) => optional(pipe(wholeNumber({ min: 0, max: maxMs }), description(about), metadata({ value: 'MS' })));

/** Parameters of both `construct run` and `skill run`. */
export const runParams = {
  project: text('Value of {project} in paths', 'NAME'),
  var: optional(pipe(array(string()), description('Value of {name} in paths'), metadata({ value: 'NAME=VALUE' }))),
  intent: text('Purpose of the run in one sentence, for the selection and goal gates', 'TEXT'),
  task: optional(pipe(TaskIdSchema, description('Task of the run; its title is the default intent'))),
  input: optional(
    pipe(
      // Not a `record`, which accepts arrays and drops keys such as prototype.
      custom<Record<string, unknown>>(isPlainObject, 'must be a JSON object'),
      check((value) => !isDeeperThan(value, maxDepth), `must not be nested deeper than ${maxDepth}`),
      description('Inputs of the skill: a JSON object, in a file or on standard input'),
      metadata({ value: 'FILE', jsonSchema: { type: 'object' } }),
    ),
  ),
  resume: text('Resume this run: executions that succeeded and have not changed are skipped', 'RUN'),
  dryRun: optional(pipe(boolean(), description('Check the manifest, the skills and the first phase without running anything'))),
  force: optional(
    pipe(
      string(),
      maxLength(64, 'must have at most 64 characters'),
      description('Let a gate pass (selection, precondition, output, goal or manifest); recorded, and costs points'),
      metadata({ value: 'GATE' }),
    ),
  ),
  reason: text('Reason for --force', 'TEXT'),
  timeout: milliseconds('Timeout of one attempt; 0 means none'),
  cached: optional(pipe(boolean(), description('Reuse results of earlier runs with the same skill and inputs'))),
  wait: milliseconds('Time to wait for another run of the same construct'),
  capture: optional(pipe(picklist(['none', 'hashed', 'full']), description('Form of the inputs in traces'))),
  noJudgeCache: optional(pipe(boolean(), description('Do not use cached answers of the judge'))),
};

/** A forced gate passes although its check failed. */
export const forceScope: ConditionalScope = {
  scope: 'decide',
  when: 'with --force',
  isNeeded: ({ force }) => force !== undefined,
};

export const readsInput = { input: { flag: 'input', as: 'json' as const } };

type ProgramFile = { path: string; sha256: string };

/** Lists the files that decide what a run executes: the construct, if it names commands, and the folders of skills with a program.
 *  `source` is the manifest that the construct was taken from. */
export async function listRunPrograms(
  runner: RunnerPlatform,
  construct: Construct,
  source: Pick<Construct, 'file' | 'sha256'> | undefined = construct,
): Promise<ProgramFile[]> {
  const names = new Set(construct.phases.flatMap(({ skills }) => skills));
  const used = construct.skills.filter(({ name }) => names.size === 0 || names.has(name));
  const found = await Promise.all(used.map(async ({ name, path, run }) => ({ run, skill: await runner.findSkill(name, path) })));
  return [
    ...(source && hasCommands(construct) ? [{ path: source.file, sha256: source.sha256 }] : []),
    ...found.flatMap(({ run, skill: { folder, command, sha256 } }) =>
      folder !== undefined && (command || run) ? [{ path: folder, sha256 }] : [],
    ),
  ];
}

/** Throws E_PROJECT_UNTRUSTED unless the user has trusted everything that the run would execute. */
export async function requireTrustedRun(
  ctx: Pick<JobContext, 'platform' | 'project'>,
  runner: RunnerPlatform,
  construct: Construct,
  source?: Pick<Construct, 'file' | 'sha256'>,
): Promise<void> {
  await (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { files: await listRunPrograms(runner, construct, source) });
}
