import { join } from 'node:path';
import type { CleoError } from '#core/errors/error.ts';
import type { Command, Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { projectContextOf } from '#detect/operations/shared/project-context.ts';
import type { Platform, Project, WorkingTree } from '#platform/port.ts';
import type { Evidence } from '../../model/verification.ts';
import { type Claimed, listed, wordsOf } from '../../rules/evidence.ts';
import { readTestReport } from '../../rules/test-report.ts';

export interface Place {
  platform: Platform;
  project: Project;
  config: Config;
  /** The task that it is brought for. */
  taskId?: TaskId;
}

/** What does not hold: the work is not what it is said to be. */
export class NotHeld extends Error {
  readonly more: object;
  constructor(problem: string, more: object = {}) {
    super(problem);
    this.more = more;
  }
}

/** Looks at what was claimed, one after the other, in the checkout that the caller stands in. */
export async function examine(place: Place, claimed: Claimed[]): Promise<Evidence[]> {
  const tree = await place.platform.workingTree(place.project);
  const found: Evidence[] = [];
  for (const claim of claimed) found.push(await examineOne(place, tree, claim));
  return found;
}

async function examineOne(place: Place, tree: WorkingTree, { kind, value }: Claimed): Promise<Evidence> {
  switch (kind) {
    case 'commit':
      return commit(place, tree, value);
    case 'files':
      return { kind, files: await Promise.all(listed(value).map((path) => hashed(place, tree, path))) };
    case 'tool':
      return tool(place, tree, value);
    case 'test-run':
      return testRun(place, tree, value);
    case 'run':
      return run(place, tree, value);
    case 'url':
      return { kind, url: value };
    case 'note':
      return { kind, text: value };
  }
}

/** Being in the repository is not enough: all its worktrees share that. It has to be part of what is checked out here. */
async function commit({ platform }: Place, { top }: WorkingTree, name: string): Promise<Evidence> {
  const git = await platform.git();
  const found = /^[0-9a-f]{7,64}$/i.test(name) ? await git.commit(top, name) : undefined;
  if (!found) throw new NotHeld(`there is no commit ${JSON.stringify(name.slice(0, 80))} in ${top}`);
  if (!(await git.isCheckedOut(top, found))) throw new NotHeld(`${found.slice(0, 12)} is no part of what is checked out in ${top}`);
  return { kind: 'commit', commit: found };
}

async function hashed({ platform, project }: Place, tree: WorkingTree, path: string): Promise<{ path: string; sha256: string }> {
  const file = await platform.fileIn(project, tree, path);
  if (!file) throw new NotHeld(`there is no file ${JSON.stringify(path.slice(0, 200))} in ${tree.folder}`);
  return { path: file.name, sha256: platform.files.sha256(file.path) };
}

async function tool(place: Place, tree: WorkingTree, name: string): Promise<Evidence> {
  const { platform, config } = place;
  const { command, folder } = toolNamed(place, name) ?? { command: '' };
  const timeoutMs = config['verification.timeoutSeconds'] * 1000;
  const ran = await platform.run(wordsOf(command), { folder: join(tree.folder, folder ?? '.'), timeoutMs });
  const end = (ran.stderr.trim() || ran.stdout.trim()).slice(-500);
  const more = { tool: name, ...(ran.exitCode === undefined ? {} : { exitCode: ran.exitCode }), ...(end ? { output: end } : {}) };
  if (ran.problem) throw new NotHeld(`tool ${name} did not run: ${ran.problem}`, more);
  if (ran.stopped)
    throw new NotHeld(
      `tool ${name} was stopped: ${ran.stopped === 'time' ? `it ran longer than ${timeoutMs / 1000} s` : 'it printed too much'}`,
      more,
    );
  if (ran.exitCode !== 0) throw new NotHeld(`tool ${name} ended with ${ran.exitCode ?? ran.signal}`, more);
  return { kind: 'tool', name, exitCode: 0, sha256: ran.sha256 };
}

/** A report in a file, which is kept by its hash, or as it is written there. */
async function testRun(place: Place, tree: WorkingTree, value: string): Promise<Evidence> {
  const { platform, project } = place;
  const isInline = /^[{[]/.test(value);
  const file = isInline ? undefined : await hashed(place, tree, value);
  const text = file ? (platform.files.readText((await platform.fileIn(project, tree, value))!.path) ?? '') : value;
  const counts = readTestReport(text);
  if (typeof counts === 'string') throw new NotHeld(`the test report tells nothing: ${counts}`);
  const { passed, failed, skipped } = counts;
  if (failed > 0) throw new NotHeld(`${failed} of ${passed + failed} tests failed`, { counts });
  if (passed === 0) throw new NotHeld('no test was run', { counts });
  return { kind: 'test-run', passed, skipped, ...(file ? { path: file.path } : {}), sha256: file?.sha256 ?? platform.sha256(text) };
}

/** A run for this very task that succeeded, whose record is whole, and whose files are still what it left. */
async function run(place: Place, tree: WorkingTree, id: string): Promise<Evidence> {
  const { platform, project, taskId } = place;
  const { runProblem, runFiles, readRun } = await import('#runs/rules/run-evidence.ts');
  const kept = (...path: string[]): string | undefined => platform.files.readText(join(project.folder, ...path));
  const record = readRun(id, (name) => kept('runs', name, 'run.json'));
  const trace = record?.trace ? kept('traces', record.trace) : undefined;
  const problem = runProblem(id, record, taskId, trace, platform.sha256);
  if (!record || problem) throw new NotHeld(problem ?? `there is no run ${id}`);
  const files: { path: string; sha256: string }[] = [];
  for (const { path, sha256 } of runFiles(record)) {
    const file = await hashed(place, tree, path);
    if (file.sha256 !== sha256) throw new NotHeld(`${path} is no longer what ${id} left`);
    files.push(file);
  }
  return { kind: 'run', run: id, files };
}

/** Refuses (41) what is no evidence by its form; nothing was looked at, so no round is lost. */
export function checkForms(place: Place, claimed: Claimed[], refuse: (problem: string, more?: object) => CleoError): void {
  const { config } = place;
  if (claimed.length === 0) throw refuse('there is no evidence in it');
  for (const { kind, value, text } of claimed) {
    if ((kind === 'url' || kind === 'note') && !config['verification.allowNotes'])
      throw refuse(`${JSON.stringify(text.slice(0, 80))} is nothing that can be checked`);
    if (value === '' || (kind === 'files' && listed(value).length === 0)) throw refuse(`${kind}: says nothing`);
    if (kind === 'tool' && !toolNamed(place, value)) {
      const isName = /^[A-Za-z0-9][\w-]{0,49}$/.test(value);
      throw refuse(`there is no tool ${JSON.stringify(value.slice(0, 60))}`, {
        tools: toolsIn(place),
        ...(isName ? { newTool: value } : {}),
      });
    }
  }
}

const group = 'verification.tools.';

/** What a tool is: as the settings say, else, for `test`, how the project is tested as far as `init --detect` could tell. */
function toolNamed({ platform, project, config }: Place, name: string): { command: Command; folder?: string | undefined } | undefined {
  const own = config[`${group}${name}` as const];
  if (own) return { command: own };
  const testing = name === 'test' ? projectContextOf(platform, project)?.testing : undefined;
  const isInside = !testing?.folder?.split(/[/\\]/).includes('..');
  return testing && isInside ? { command: testing.command, folder: testing.folder } : undefined;
}

export function toolsIn(place: Place): string[] {
  const own = Object.keys(place.config)
    .filter((key) => key.startsWith(group))
    .map((key) => key.slice(group.length));
  return own.includes('test') || !toolNamed(place, 'test') ? own : [...own, 'test'];
}
