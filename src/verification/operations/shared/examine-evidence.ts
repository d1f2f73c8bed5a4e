import { join } from 'node:path';
import type { CommandWords, Config } from '#core/model/config.ts';
import type { GateName } from '#core/model/scalars.ts';
import { projectContextFile } from '#detect/model/project-context.ts';
import { readProjectContext } from '#detect/operations/shared/project-context.ts';
import { defined } from '#lib/collections.ts';
import { splitCommand } from '#lib/shell-words.ts';
import type { Platform, ProgramOptions, ProgramResult, Project, TreeFile, WorkingTree } from '#platform/port.ts';
import type { TaskBaseline } from '#tasks/model/baseline.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { GateEvidence, HashedFile } from '../../model/verification.ts';
import { type EvidenceClaim, splitPaths } from '../../rules/evidence.ts';
import { countsForGate, formatUnfitProblem, type GatePolicy } from '../../rules/gate-policy.ts';
import { readTestReport } from '../../rules/test-report.ts';
import { withToolSlot } from './tool-slots.ts';
import type { WorkSinceBaseline } from './work-since-baseline.ts';

interface EvidenceContext {
  platform: Platform;
  project: Project;
  config: Config;
}

/** The evidence of one call: its task, its gate, and what the store knows about the task. */
interface SubmissionContext extends EvidenceContext {
  task: Pick<TaskRecord, 'id' | 'createdAt'>;
  gate: GateName;
  policy: GatePolicy;
  baseline: TaskBaseline | undefined;
  /** Successful runs for the task in the audit log. */
  loggedRuns: string[];
  /** Aborted when the caller stops waiting, which ends its tool. */
  signal?: AbortSignal | undefined;
}

/** Thrown when evidence does not prove what it claims. `hasRun` says that a program or tests ran and failed, which ends the round. */
export class EvidenceRejected extends Error {
  readonly details: object;
  readonly hasRun: boolean;
  constructor(problem: string, { hasRun = false, ...details }: { hasRun?: boolean } & Record<string, unknown> = {}) {
    super(problem);
    this.details = details;
    this.hasRun = hasRun;
  }
}

interface Examination extends SubmissionContext {
  tree: WorkingTree;
  /** The test reports before the tools ran, by path. */
  reports: Map<string, TreeFile | undefined>;
  hasTool: boolean;
  /** Loaded only if a piece of evidence is compared with it. */
  loadWork(): Promise<WorkSinceBaseline>;
}

/** Examines the pieces of evidence in the caller's checkout. Tools run first, because they may write the reports. */
export async function examineEvidence(ctx: SubmissionContext, claims: EvidenceClaim[]): Promise<GateEvidence[]> {
  const { platform, project } = ctx;
  const tree = await platform.findWorkingTree(project);
  const reports = new Map<string, TreeFile | undefined>();
  for (const { kind, value } of claims) if (kind === 'test-run') reports.set(value, await platform.findFile(project, tree, value));
  let work: Promise<WorkSinceBaseline> | undefined;
  const loadWork = async (): Promise<WorkSinceBaseline> => {
    work ??= import('./work-since-baseline.ts').then(({ compareWithBaseline }) => compareWithBaseline(ctx, tree));
    return work;
  };
  const examination = { ...ctx, tree, reports, hasTool: claims.some(({ kind }) => kind === 'tool'), loadWork };
  const examined = new Map<EvidenceClaim, GateEvidence>();
  for (const isTool of [true, false])
    for (const claim of claims.filter(({ kind }) => (kind === 'tool') === isTool))
      examined.set(claim, await examineClaim(examination, claim));
  return claims.map((claim) => examined.get(claim)!);
}

async function examineClaim(ctx: Examination, claim: EvidenceClaim): Promise<GateEvidence> {
  const { kind, value } = claim;
  switch (kind) {
    case 'commit':
      return examineCommit(ctx, value);
    case 'files':
      return examineFiles(ctx, value);
    case 'tool':
      return runTool(ctx, ctx.tree, value);
    case 'test-run':
      return examineTestRun(ctx, claim);
    case 'run':
      return examineRun(ctx, value);
    case 'url':
      return countsForGate(ctx.policy, ctx.gate, claim) ? { kind, url: value } : toClaimed(ctx, claim);
    case 'note':
      return countsForGate(ctx.policy, ctx.gate, claim) ? { kind, text: value } : toClaimed(ctx, claim);
  }
}

/** Converts a piece of evidence that was not checked. */
export function toClaimed(
  { policy, gate }: Pick<SubmissionContext, 'policy' | 'gate'>,
  claim: EvidenceClaim,
  problem = formatUnfitProblem(policy, gate, claim),
): GateEvidence {
  return { kind: 'claimed', text: claim.text.slice(0, 1000), problem };
}

/** Accepts only commits that are part of the checked-out branch. All worktrees share one repository, so a commit of another branch
 *  exists in it as well. For `implemented` the commit has to be work on the task. */
async function examineCommit({ platform, tree: { top }, gate, loadWork }: Examination, name: string): Promise<GateEvidence> {
  const git = await platform.loadGit();
  const found = await git.resolveCommit(top, name);
  if (!found) throw new EvidenceRejected(`there is no commit ${JSON.stringify(name.slice(0, 80))} in ${top}`);
  if (!(await git.isCheckedOut(top, found)))
    throw new EvidenceRejected(`${found.slice(0, 12)} is not part of the branch checked out in ${top}`);
  const problem = gate === 'implemented' ? await (await loadWork()).findCommitProblem(found) : undefined;
  if (problem) throw new EvidenceRejected(problem);
  return { kind: 'commit', commit: found };
}

async function examineFiles(ctx: Examination, value: string): Promise<GateEvidence> {
  const files = await Promise.all(splitPaths(value).map((path) => findFile(ctx, path)));
  const problem = ctx.gate === 'implemented' ? await (await ctx.loadWork()).findFilesProblem(files) : undefined;
  if (problem) throw new EvidenceRejected(problem);
  return { kind: 'files', files: files.map((file) => hashFile(ctx, file)) };
}

async function findFile({ platform, project, tree }: Examination, path: string): Promise<TreeFile> {
  const file = await platform.findFile(project, tree, path);
  if (!file) throw new EvidenceRejected(`there is no file ${JSON.stringify(path.slice(0, 200))} in ${tree.folder}`);
  return file;
}

const hashFile = ({ platform }: EvidenceContext, { name, path }: TreeFile): HashedFile => ({
  path: name,
  sha256: platform.files.sha256(path),
});

async function runTool(ctx: Examination, tree: WorkingTree, name: string): Promise<GateEvidence> {
  const { config } = ctx;
  const { command, folder } = findTool(ctx, name) ?? { command: '' };
  await requireTrustedTool(ctx, name);
  const timeoutMs = config['verification.timeoutSeconds'] * 1000;
  const ran = await runWhileWanted(ctx, splitCommand(command), { folder: join(tree.folder, folder ?? '.'), timeoutMs });
  if (!ran || ran.stopped === 'cancelled') throw new EvidenceRejected(`tool ${name} was cancelled: the caller stopped waiting`);
  const output = (await hideSecrets(ran.stderr.trim() || ran.stdout.trim())).slice(-500) || undefined;
  const details = { tool: name, ...defined({ exitCode: ran.exitCode, output }), hasRun: true };
  if (ran.problem) throw new EvidenceRejected(`tool ${name} did not run: ${ran.problem}`, { ...details, hasRun: false });
  if (ran.stopped)
    throw new EvidenceRejected(
      `tool ${name} was stopped: ${ran.stopped === 'time' ? `it ran longer than ${timeoutMs / 1000} s` : 'it printed too much output'}`,
      details,
    );
  if (ran.exitCode !== 0) throw new EvidenceRejected(`tool ${name} exited with ${ran.exitCode ?? ran.signal}`, details);
  return { kind: 'tool', name, exitCode: 0, sha256: ran.sha256 };
}

/** Hides secrets in the output of a tool. A part that begins in the middle of a secret would not be recognized, so it is cut afterwards. */
const hideSecrets = async (output: string): Promise<string> => (await import('#lib/secret-places.ts')).redactOutput(output);

/** Runs a program until it ends or the caller stops waiting, when this process has a free slot. */
async function runWhileWanted(
  { platform, config, signal }: Examination,
  words: string[],
  options: ProgramOptions,
): Promise<ProgramResult | undefined> {
  const interrupts = (await platform.loadProcesses()).listenForInterrupts();
  const ended = AbortSignal.any([...(signal ? [signal] : []), interrupts.signal]);
  try {
    return await withToolSlot(config['verification.maxParallel'], ended, () => platform.runProgram(words, { ...options, signal: ended }));
  } finally {
    interrupts.stop();
  }
}

/** Throws E_PROJECT_UNTRUSTED unless the user has trusted the command of the tool. */
async function requireTrustedTool(ctx: EvidenceContext, name: string): Promise<void> {
  const { platform, project, config } = ctx;
  const key = `${toolPrefix}${name}` as const;
  const { command, folder } = readProjectContext(platform, project)?.testing ?? {};
  if (config[key] || command === undefined) return (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { keys: [key] });
  const file = join(project.root, projectContextFile);
  return (await ctx.platform.loadTrust()).requireTrusted(ctx.project, {
    name: 'project-context.testing',
    value: defined({ command, folder }),
    file,
  });
}

/** Accepts a test report that a tool of this call or a logged run wrote. Inline JSON and any other file are statements of the caller. */
async function examineTestRun(ctx: Examination, claim: EvidenceClaim): Promise<GateEvidence> {
  const { platform } = ctx;
  const isInline = /^[{[]/.test(claim.value);
  const file = isInline ? undefined : await findFile(ctx, claim.value);
  const counts = readTestReport(file ? (platform.files.readText(file.path) ?? '') : claim.value);
  if (typeof counts === 'string') throw new EvidenceRejected(`the test report is not usable: ${counts}`);
  const { passed, failed, skipped } = counts;
  const hashed = file && hashFile(ctx, file);
  const isWritten =
    file !== undefined && hashed !== undefined && (isWrittenByTool(ctx, claim, file) || (await isWrittenByRun(ctx, hashed)));
  if (failed > 0) throw new EvidenceRejected(`${failed} of ${passed + failed} tests failed`, { counts, hasRun: isWritten });
  if (passed === 0) throw new EvidenceRejected('no test was run', { counts, hasRun: isWritten });
  if (!hashed) return toClaimed(ctx, claim, 'inline JSON proves nothing: submit tool:<name>, which runs the tests');
  if (!isWritten) return toClaimed(ctx, claim, `no tool of this call and no run for ${ctx.task.id} wrote ${hashed.path}`);
  return { kind: 'test-run', passed, skipped, ...hashed };
}

function isWrittenByTool({ hasTool, reports }: Examination, { value }: EvidenceClaim, file: TreeFile): boolean {
  return hasTool && reports.get(value)?.changedAt !== file.changedAt;
}

async function isWrittenByRun(ctx: Examination, { path, sha256 }: HashedFile): Promise<boolean> {
  if (ctx.loggedRuns.length === 0) return false;
  const { listRunFiles } = await import('#runs/rules/run-evidence.ts');
  for (const id of ctx.loggedRuns) {
    const { record, problem } = await readRun(ctx, id);
    if (record && !problem && listRunFiles(record).some((file) => file.path === path && file.sha256 === sha256)) return true;
  }
  return false;
}

/** Accepts a successful run for this task that is in the audit log, with a complete record, whose files have not changed since. */
async function examineRun(ctx: Examination, id: string): Promise<GateEvidence> {
  const { gate, task, loggedRuns } = ctx;
  const { listRunFiles } = await import('#runs/rules/run-evidence.ts');
  const { record, problem, hasRun } = await readRun(ctx, id);
  if (!record || problem) throw new EvidenceRejected(problem ?? `there is no run ${id}`, { hasRun });
  if (!loggedRuns.includes(id)) throw new EvidenceRejected(`the audit log contains no successful run ${id} for ${task.id}`);
  const found: TreeFile[] = [];
  for (const { path, sha256 } of listRunFiles(record)) {
    const file = await findFile(ctx, path);
    if (hashFile(ctx, file).sha256 !== sha256) throw new EvidenceRejected(`${path} changed after ${id}`);
    found.push(file);
  }
  if (gate === 'implemented') {
    if (found.length === 0) throw new EvidenceRejected(`${id} wrote no files`);
    const work = await ctx.loadWork();
    const problems = await Promise.all(found.map((file) => work.findFilesProblem([file])));
    if (problems[0] && !problems.includes(undefined)) throw new EvidenceRejected(problems[0]);
  }
  return { kind: 'run', run: id, files: found.map((file) => hashFile(ctx, file)) };
}

type RunEvidence = ReturnType<typeof import('#runs/rules/run-evidence.ts').parseRunEvidence>;

async function readRun(
  { platform, project, task }: SubmissionContext,
  id: string,
): Promise<{ record: RunEvidence; problem: string | undefined; hasRun: boolean }> {
  const { findRunProblem, parseRunEvidence } = await import('#runs/rules/run-evidence.ts');
  const read = (...path: string[]): string | undefined => platform.files.readText(join(project.folder, ...path));
  const record = parseRunEvidence(id, (name) => read('runs', name, 'run.json'));
  const trace = record?.trace ? read('traces', record.trace) : undefined;
  const problem = findRunProblem(id, record, task.id, trace, platform.sha256);
  const hasRun = record?.task_id === task.id && record.status !== 'running' && record.status !== 'success';
  return { record, problem, hasRun };
}

/** Finds evidence of an invalid form: empty, or a tool that does not exist. */
export function findFormProblem(
  ctx: EvidenceContext,
  claims: EvidenceClaim[],
): { problem: string; details?: Record<string, unknown> } | undefined {
  if (claims.length === 0) return { problem: 'the evidence is empty' };
  for (const { kind, value } of claims) {
    if (value === '' || (kind === 'files' && splitPaths(value).length === 0)) return { problem: `${kind}: has no value` };
    if (kind === 'tool' && !findTool(ctx, value)) {
      const isName = /^[A-Za-z0-9][\w-]{0,49}$/.test(value);
      const details = { tools: listVerificationTools(ctx), ...defined({ newTool: isName ? value : undefined }) };
      return { problem: `there is no tool ${JSON.stringify(value.slice(0, 60))}`, details };
    }
  }
  return undefined;
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
