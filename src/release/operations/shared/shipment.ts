import { dirname, join, relative } from 'node:path';
import type { JobContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import { defined } from '#lib/collections.ts';
import { splitCommand } from '#lib/shell-words.ts';
import type { Git, WorkingTree } from '#platform/port.ts';
import type { Provenance, ReleaseRecord, ReleaseStepName } from '../../model/release.ts';
import { parseVersion } from '../../model/version.ts';
import { formatChangelogSection, insertSection } from '../../rules/changelog.ts';
import {
  createStatement,
  findUncommitted,
  formatCommitMessage,
  formatTagMessage,
  recordStep,
  type ShipOptions,
} from '../../rules/release.ts';
import { replaceVersion, semVerOnly, versionFiles } from '../../rules/version-files.ts';
import { shipSteps } from './ship-steps.ts';

const changelogFile = 'CHANGELOG.md';

/** Ships one release from one working tree. */
export class Shipment {
  release: ReleaseRecord;
  readonly options: ShipOptions;
  hasCommit = false;
  readonly #ctx: JobContext;
  readonly #git: Git;
  readonly #tree: WorkingTree;
  /** Path of the project in the repository: empty, or `a/b/`. */
  readonly #prefix: string;
  readonly #tasks: string[];

  private constructor(
    ctx: JobContext,
    release: ReleaseRecord,
    options: ShipOptions,
    found: { git: Git; tree: WorkingTree; prefix: string; tasks: string[] },
  ) {
    this.release = release;
    this.options = options;
    this.#ctx = ctx;
    this.#git = found.git;
    this.#tree = found.tree;
    this.#prefix = found.prefix;
    this.#tasks = found.tasks;
  }

  static async open(ctx: JobContext, version: string, options: ShipOptions): Promise<Shipment> {
    const { platform, project } = ctx;
    const { release, tasks } = await ctx.runStep(shipSteps.read, { version });
    const git = await platform.loadGit();
    const tree = await platform.findWorkingTree(project);
    const prefix = await git.getPrefix(tree.folder);
    if (prefix === undefined) throw createRepositoryError('does not exist; a release needs a git repository', 'git init');
    if (!(await git.resolveCommit(tree.top, 'HEAD')))
      throw createRepositoryError('has no commit yet', 'git commit --allow-empty -m "Initial commit"');
    const shipment = new Shipment(ctx, release, options, { git, tree, prefix, tasks });
    shipment.hasCommit = release.commit !== undefined && (await git.isCheckedOut(tree.top, release.commit));
    return shipment;
  }

  /** Throws before the first step if a later one would fail; returns warnings. */
  async check(remaining: ReleaseStepName[], statement: string | undefined): Promise<string[]> {
    const { version, tag } = this.release;
    const { top, folder } = this.#tree;
    const warnings: string[] = [];
    const own = statement === undefined ? undefined : this.#toGitPath(statement);
    if (remaining.includes('commit')) await this.#checkClean(own);
    if (remaining.includes('bump')) {
      const present = this.#listVersionFiles();
      const semVerFile = present.find((name) => semVerOnly.includes(name));
      if (semVerFile && !parseVersion(version)?.isSemVer)
        throw createValidationError('version', `${version} is not SemVer, which ${semVerFile} requires`, this.#formatRetry('bumpVersion'));
      for (const name of present) if (this.#replaceVersion(name) === undefined) warnings.push(`${name} has no version to change`);
      if (present.length === 0) warnings.push(`no version file in ${folder}`);
    }
    if (remaining.includes('tag')) {
      const tagged = await this.#git.resolveTag(top, version);
      if (tagged && !(this.hasCommit && tagged === this.release.commit))
        throw createValidationError('tag', `${version} already points to commit ${tagged.slice(0, 12)}`, this.#formatRetry('createTag'));
    }
    if (remaining.includes('push')) {
      if (!(await this.#git.getBranch(top)))
        throw createValidationError('branch', 'is required to push, but none is checked out', this.#formatRetry('push'));
      if (!(await this.#git.getRemote(top)))
        throw createValidationError('remote', 'is required to push, but there is none', this.#formatRetry('push'));
      if (!remaining.includes('tag') && !tag) warnings.push('the branch is pushed without a tag');
    }
    return warnings;
  }

  /** Describes the steps for a dry run. */
  describeSteps(remaining: ReleaseStepName[]): string[] {
    const { version } = this.release;
    const gates = this.#listGates().map(([name]) => name);
    const descriptions: Record<ReleaseStepName, string> = {
      gates: gates.length ? `run the gates ${gates.join(', ')}` : 'skip the gates: none are configured',
      changelog: `add a section for ${version} to ${changelogFile}`,
      bump: `write ${version.slice(1)} to ${this.#listVersionFiles().join(', ') || 'no file'}`,
      commit: 'commit these files',
      tag: `create the annotated tag ${version}`,
      push: 'push the branch and the tag',
    };
    return remaining.map((step) => descriptions[step]);
  }

  /** Runs one step and records it before and after. */
  async runStep(step: ReleaseStepName): Promise<void> {
    await this.#record(step, 'begun');
    const what = await this.#steps[step]();
    await this.#record(step, 'done', what);
  }

  async hashArtifacts(paths: string[]): Promise<Provenance['artifacts']> {
    const { platform, project } = this.#ctx;
    const found: Provenance['artifacts'] = [];
    for (const path of paths) {
      const file = await platform.findFile(project, this.#tree, path);
      if (!file) throw new CleoError('E_FILE_ERROR', { path, problem: 'does not exist', fix: `cleo release show ${this.release.version}` });
      found.push({ name: file.name, sha256: platform.files.sha256(file.path) });
    }
    return found;
  }

  /** Stores the commit, the tasks and the hashes of the changelog, the version files and the artifacts. A later call keeps the hashes of
   *  the same commit. */
  async saveProvenance(artifacts: Provenance['artifacts']): Promise<void> {
    const { files } = this.#ctx.platform;
    const { commit = '', provenance: before } = this.release;
    const own = [changelogFile, ...versionFiles].filter((name) => files.exists(join(this.#tree.folder, name)));
    const kept =
      before?.commit === commit ? before.artifacts : own.map((name) => ({ name, sha256: files.sha256(join(this.#tree.folder, name)) }));
    const older = kept.filter((each) => !artifacts.some(({ name }) => name === each.name));
    const tree = (await this.#git.resolveTree(this.#tree.top, commit)) ?? '';
    await this.#save({ provenance: { commit, tree, tasks: this.#tasks, artifacts: [...older, ...artifacts] } });
  }

  async writeStatement(path: string): Promise<string> {
    const { platform, now } = this.#ctx;
    const target = platform.files.resolveInside(this.#tree.folder, path, 'cleo help release ship');
    const statement = createStatement(this.release.version, now, this.release.provenance!, `cleo ${platform.version}`);
    platform.files.createFolder(dirname(target));
    platform.files.writeAtomic(target, `${JSON.stringify(statement, null, 2)}\n`);
    return path;
  }

  close = (): Promise<void> => this.#save({ status: 'shipped', shippedAt: this.release.shippedAt ?? this.#ctx.now });

  readonly #steps: Record<ReleaseStepName, () => Promise<string>> = {
    gates: () => this.#runGates(),
    changelog: async () => {
      const { version, changelog } = this.release;
      const path = this.#resolveOwnFile(changelogFile);
      const section = formatChangelogSection(version.slice(1), this.#ctx.now.slice(0, 10), changelog);
      const text = insertSection(this.#ctx.platform.files.readText(path), version.slice(1), section);
      if (text === undefined) return `${changelogFile} already has a section`;
      this.#ctx.platform.files.writeAtomic(path, text);
      return changelogFile;
    },
    bump: async () => {
      const { files } = this.#ctx.platform;
      const written = this.#listVersionFiles().filter((name) => {
        const path = this.#resolveOwnFile(name);
        const text = this.#replaceVersion(name);
        if (text === undefined || text === files.readText(path)) return false;
        files.writeAtomic(path, text);
        return true;
      });
      return written.join(', ') || 'no file changed';
    },
    commit: async () => {
      const { top } = this.#tree;
      const own = this.#listOwnFiles();
      const changed = (await this.#git.listChanges(top)).map(({ path }) => path).filter((path) => own.includes(path));
      const head = (await this.#git.resolveCommit(top, 'HEAD'))!;
      const commit = changed.length
        ? await this.#git.commitFiles(top, formatCommitMessage(this.release.version, this.#tasks), changed)
        : head;
      this.release = { ...this.release, commit };
      this.hasCommit = true;
      return changed.length ? commit : `${commit} (nothing to commit)`;
    },
    tag: async () => {
      const { version, commit = '', changelog } = this.release;
      const tagged = await this.#git.resolveTag(this.#tree.top, version);
      if (tagged !== commit) await this.#git.createTag(this.#tree.top, version, commit, formatTagMessage(version, changelog));
      this.release = { ...this.release, tag: version };
      return version;
    },
    push: async () => {
      const { top } = this.#tree;
      const remote = (await this.#git.getRemote(top)) ?? '';
      const branch = await this.#git.getBranch(top);
      const { tag } = this.release;
      try {
        await this.#git.push(top, remote, [`refs/heads/${branch}`, ...(tag ? [`refs/tags/${tag}`] : [])]);
      } catch (error) {
        if (!(error instanceof CleoError)) throw error;
        const problem = error.message.replace(/^git: /, '');
        throw new CleoError(
          'E_DEPENDENCY_ERROR',
          { tool: 'git', problem, fix: this.#formatRetry(), manual: `Make sure that git can push to ${remote}, then repeat the call` },
          { cause: error },
        );
      }
      return `${branch}${tag ? ` and ${tag}` : ''} to ${remote}`;
    },
  };

  async #runGates(): Promise<string> {
    const gates = this.#listGates();
    await (await this.#ctx.platform.loadTrust()).requireTrusted(this.#ctx.project, {
      keys: gates.map(([name]) => `release.gates.${name}`),
    });
    for (const [name, command] of gates) {
      const words = splitCommand(command);
      const timeoutMs = this.#ctx.config()['release.gateTimeoutSeconds'] * 1000;
      const ran = await this.#ctx.platform.runProgram(words, { folder: this.#tree.folder, timeoutMs });
      if (ran.exitCode === 0) continue;
      const how = ran.problem ?? (ran.stopped ? 'timed out' : ran.signal ? `was killed by ${ran.signal}` : `exited with ${ran.exitCode}`);
      throw new CleoError('E_VALIDATION', {
        field: 'gates',
        problem: `must pass before a release; ${name}: ${how}`,
        fix: commandLine(words),
        manual: `Correct what ${name} reports, then repeat the call`,
        gate: name,
        output: (await import('#lib/secret-places.ts')).redactOutput(`${ran.stdout}${ran.stderr}`).slice(-2000),
      });
    }
    return gates.length ? gates.map(([name]) => name).join(', ') : 'none are configured';
  }

  #listGates(): [string, string | string[]][] {
    const prefix = 'release.gates.';
    const config: Partial<Config> = this.#ctx.config();
    return Object.entries(config).flatMap(([key, value]) =>
      key.startsWith(prefix) && value !== undefined ? [[key.slice(prefix.length), value as string | string[]]] : [],
    );
  }

  async #checkClean(statement: string | undefined): Promise<void> {
    const { version } = this.release;
    const isResumed = this.release.steps.some(({ step }) => step === 'changelog');
    const mayChange = this.#listOwnFiles().filter((path) => isResumed || path !== `${this.#prefix}${changelogFile}`);
    const own = [...mayChange, ...(statement ? [statement] : [])];
    // A ship that is killed while it writes a file leaves a draft, which must not count as an uncommitted change.
    const { removeDraftsFor } = await import('#platform/drafts.ts');
    for (const path of this.#listOwnFiles()) removeDraftsFor(join(this.#tree.top, path));
    const changed = (await this.#git.listChanges(this.#tree.top)).map(({ path }) => path);
    const paths = findUncommitted(changed, { own, folders: [`${this.#prefix}.cleo`] });
    if (paths.length === 0) return;
    const named = paths.length <= 20 ? paths : ['.'];
    const add = commandLine(['git', 'add', '--', ...named]);
    throw new CleoError('E_VALIDATION', {
      field: 'tree',
      problem: `is not clean: ${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ` and ${paths.length - 10} more` : ''}. A release commits only the version and the changelog`,
      fix: `${add} && ${commandLine(['git', 'commit', '-m', `Before ${version}`, '--', ...named])}`,
      manual: 'Commit or stash the changed files, then repeat the call',
      paths: paths.slice(0, 100),
    });
  }

  /** Returns the path from the top of the repository; throws if the file is outside the project. */
  #toGitPath(path: string): string {
    const target = this.#ctx.platform.files.resolveInside(this.#tree.folder, path, 'cleo help release ship');
    return `${this.#prefix}${relative(this.#tree.folder, target).replaceAll('\\', '/')}`;
  }

  /** A clone can bring a link that leads to another file of the user. */
  #resolveOwnFile = (name: string): string => this.#ctx.platform.files.resolveInside(this.#tree.folder, name, 'cleo help release ship');

  /** Lists the files that a release writes, as paths from the top of the repository. */
  #listOwnFiles = (): string[] => [changelogFile, ...versionFiles].map((name) => `${this.#prefix}${name}`);

  #listVersionFiles = (): string[] => versionFiles.filter((name) => this.#ctx.platform.files.exists(join(this.#tree.folder, name)));

  #replaceVersion(name: string): string | undefined {
    const text = this.#ctx.platform.files.readText(join(this.#tree.folder, name));
    return text === undefined ? undefined : replaceVersion(name, text, this.release.version.slice(1));
  }

  async #record(step: ReleaseStepName, state: 'begun' | 'done', what?: string): Promise<void> {
    const { platform } = this.#ctx;
    const steps = recordStep(this.release.steps, { step, state, at: platform.now(), ...defined({ what }) });
    await this.#save({ steps, status: this.release.status === 'shipped' ? 'shipped' : 'shipping' });
  }

  async #save(change: Partial<ReleaseRecord>): Promise<void> {
    this.release = { ...this.release, ...change };
    await this.#ctx.runStep(shipSteps.save, this.release);
  }

  /** Formats the same call without the flag. */
  #formatRetry = (flag?: keyof ShipOptions): string => this.#ctx.commandWith(flag ? { [flag]: undefined } : {});
}

const createRepositoryError = (problem: string, fix: string): CleoError =>
  new CleoError('E_VALIDATION', { field: 'repository', problem, fix, manual: `Run ${fix}` });

const createValidationError = (field: string, problem: string, fix: string): CleoError =>
  new CleoError('E_VALIDATION', { field, problem, fix });
