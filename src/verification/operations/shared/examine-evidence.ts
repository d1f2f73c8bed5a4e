import { join } from 'node:path';
import type { CleoError } from '#core/errors/error.ts';
import type { CommandWords, Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { readProjectContext } from '#detect/operations/shared/project-context.ts';
import { defined } from '#lib/defined.ts';
import { splitCommand } from '#lib/split-command.ts';
import type { Platform, Project, WorkingTree } from '#platform/port.ts';
import type { GateEvidence, HashedFile } from '../../model/verification.ts';
import { type EvidenceClaim, splitPaths } from '../../rules/evidence.ts';
import { readTestReport } from '../../rules/test-report.ts';

interface EvidenceContext {
  platform: Platform;
  project: Project;
  config: Config;
  /** The task that the evidence is for. */
  taskId?: TaskId;
}

/** Thrown when evidence does not prove what it claims. */
export class EvidenceRejected extends Error {
  readonly details: object;
  constructor(problem: string, details: object = {}) {
    super(problem);
    this.details = details;
  }
}

/** Examines claims one by one in the caller's checkout. */
export async function examineEvidence(ctx: EvidenceContext, claims: EvidenceClaim[]): Promise<GateEvidence[]> {
  const tree = await ctx.platform.findWorkingTree(ctx.project);
  const found: GateEvidence[] = [];
  for (const claim of claims) found.push(await examineClaim(ctx, tree, claim));
  return found;
}

async function examineClaim(ctx: EvidenceContext, tree: WorkingTree, { kind, value }: EvidenceClaim): Promise<GateEvidence> {
  switch (kind) {
    case 'commit':
      return examineCommit(ctx, tree, value);
    case 'files':
      return { kind, files: await Promise.all(splitPaths(value).map((path) => hashFile(ctx, tree, path))) };
    case 'tool':
      return runTool(ctx, tree, value);
    case 'test-run':
      return examineTestRun(ctx, tree, value);
    case 'run':
      return examineRun(ctx, tree, value);
    case 'url':
      return { kind, url: value };
    case 'note':
      return { kind, text: value };
  }
}

/** Accepts only commits that are part of the checked-out branch. All worktrees share one repository, so a commit of another branch
 *  exists in it as well. */
async function examineCommit({ platform }: EvidenceContext, { top }: WorkingTree, name: string): Promise<GateEvidence> {
  const git = await platform.loadGit();
  const found = /^[0-9a-f]{7,64}$/i.test(name) ? await git.resolveCommit(top, name) : undefined;
  if (!found) throw new EvidenceRejected(`there is no commit ${JSON.stringify(name.slice(0, 80))} in ${top}`);
  if (!(await git.isCheckedOut(top, found)))
    throw new EvidenceRejected(`${found.slice(0, 12)} is not part of the branch checked out in ${top}`);
  return { kind: 'commit', commit: found };
}

async function hashFile({ platform, project }: EvidenceContext, tree: WorkingTree, path: string): Promise<HashedFile> {
  const file = await platform.findFile(project, tree, path);
  if (!file) throw new EvidenceRejected(`there is no file ${JSON.stringify(path.slice(0, 200))} in ${tree.folder}`);
  return { path: file.name, sha256: platform.files.sha256(file.path) };
}

async function runTool(ctx: EvidenceContext, tree: WorkingTree, name: string): Promise<GateEvidence> {
  const { platform, config } = ctx;
  const { command, folder } = findTool(ctx, name) ?? { command: '' };
  const timeoutMs = config['verification.timeoutSeconds'] * 1000;
  const ran = await platform.runProgram(splitCommand(command), { folder: join(tree.folder, folder ?? '.'), timeoutMs });
  const output = (ran.stderr.trim() || ran.stdout.trim()).slice(-500) || undefined;
  const details = { tool: name, ...defined({ exitCode: ran.exitCode, output }) };
  if (ran.problem) throw new EvidenceRejected(`tool ${name} did not run: ${ran.problem}`, details);
  if (ran.stopped)
    throw new EvidenceRejected(
      `tool ${name} was stopped: ${ran.stopped === 'time' ? `it ran longer than ${timeoutMs / 1000} s` : 'it printed too much output'}`,
      details,
    );
  if (ran.exitCode !== 0) throw new EvidenceRejected(`tool ${name} exited with ${ran.exitCode ?? ran.signal}`, details);
  return { kind: 'tool', name, exitCode: 0, sha256: ran.sha256 };
}

/** Accepts a test report in a file or inline JSON. */
async function examineTestRun(ctx: EvidenceContext, tree: WorkingTree, value: string): Promise<GateEvidence> {
  const { platform, project } = ctx;
  const isInline = /^[{[]/.test(value);
  const file = isInline ? undefined : await hashFile(ctx, tree, value);
  const text = file ? (platform.files.readText((await platform.findFile(project, tree, value))!.path) ?? '') : value;
  const counts = readTestReport(text);
  if (typeof counts === 'string') throw new EvidenceRejected(`the test report is not usable: ${counts}`);
  const { passed, failed, skipped } = counts;
  if (failed > 0) throw new EvidenceRejected(`${failed} of ${passed + failed} tests failed`, { counts });
  if (passed === 0) throw new EvidenceRejected('no test was run', { counts });
  return { kind: 'test-run', passed, skipped, ...defined({ path: file?.path }), sha256: file?.sha256 ?? platform.sha256(text) };
}

/** Accepts a successful run for this task with a complete record, whose files have not changed since. */
async function examineRun(ctx: EvidenceContext, tree: WorkingTree, id: string): Promise<GateEvidence> {
  const { platform, project, taskId } = ctx;
  const { findRunProblem, listRunFiles, parseRunEvidence } = await import('#runs/rules/run-evidence.ts');
  const read = (...path: string[]): string | undefined => platform.files.readText(join(project.folder, ...path));
  const record = parseRunEvidence(id, (name) => read('runs', name, 'run.json'));
  const trace = record?.trace ? read('traces', record.trace) : undefined;
  const problem = findRunProblem(id, record, taskId, trace, platform.sha256);
  if (!record || problem) throw new EvidenceRejected(problem ?? `there is no run ${id}`);
  const files: HashedFile[] = [];
  for (const { path, sha256 } of listRunFiles(record)) {
    const file = await hashFile(ctx, tree, path);
    if (file.sha256 !== sha256) throw new EvidenceRejected(`${path} changed after ${id}`);
    files.push(file);
  }
  return { kind: 'run', run: id, files };
}

/** Throws (41) on evidence of an invalid form. Nothing has been examined yet, so this does not cost a round. */
export function checkEvidenceForms(
  ctx: EvidenceContext,
  claims: EvidenceClaim[],
  createError: (problem: string, details?: object) => CleoError,
): void {
  const { config } = ctx;
  if (claims.length === 0) throw createError('the evidence is empty');
  for (const { kind, value, text } of claims) {
    if ((kind === 'url' || kind === 'note') && !config['verification.allowNotes'])
      throw createError(`${JSON.stringify(text.slice(0, 80))} cannot be checked`);
    if (value === '' || (kind === 'files' && splitPaths(value).length === 0)) throw createError(`${kind}: has no value`);
    if (kind === 'tool' && !findTool(ctx, value)) {
      const isName = /^[A-Za-z0-9][\w-]{0,49}$/.test(value);
      throw createError(`there is no tool ${JSON.stringify(value.slice(0, 60))}`, {
        tools: listVerificationTools(ctx),
        ...defined({ newTool: isName ? value : undefined }),
      });
    }
  }
}

const toolPrefix = 'verification.tools.';

/** Finds the command of a tool: the configured one or, for `test`, the test command that `init --detect` found. */
function findTool(
  { platform, project, config }: EvidenceContext,
  name: string,
): { command: CommandWords; folder?: string | undefined } | undefined {
  const own = config[`${toolPrefix}${name}` as const];
  if (own) return { command: own };
  const testing = name === 'test' ? readProjectContext(platform, project)?.testing : undefined;
  const isInside = !testing?.folder?.split(/[/\\]/).includes('..');
  return testing && isInside ? { command: testing.command, folder: testing.folder } : undefined;
}

export function listVerificationTools(ctx: EvidenceContext): string[] {
  const own = Object.keys(ctx.config)
    .filter((key) => key.startsWith(toolPrefix))
    .map((key) => key.slice(toolPrefix.length));
  return own.includes('test') || !findTool(ctx, 'test') ? own : [...own, 'test'];
}
