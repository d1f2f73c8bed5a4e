import { dirname, join, relative } from 'node:path';
import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Config } from '#core/model/config.ts';
import type { Git, WorkingTree } from '#platform/port.ts';
import { wordsOf } from '#verification/rules/evidence.ts';
import type { Provenance, ReleaseRecord, ReleaseStepName } from '../../model/release.ts';
import { parseVersion } from '../../model/version.ts';
import { changelogSection, withSection } from '../../rules/changelog.ts';
import { commitMessage, hasBegun, inTheWay, statementOf, tagMessage, type Wanted, withStep } from '../../rules/release.ts';
import { bumped, semVerOnly, versionFiles } from '../../rules/version-files.ts';
import { requireRelease } from './releases.ts';

const changelogFile = 'CHANGELOG.md';

/** A release on its way out of one working tree. */
export class Shipment {
  release: ReleaseRecord;
  readonly wanted: Wanted;
  isCommitThere: boolean;
  readonly #here: JobContext;
  readonly #git: Git;
  readonly #tree: WorkingTree;
  /** Where the project lies in the tree: empty, or `a/b/`. */
  readonly #place: string;
  readonly #tasks: string[];

  private constructor(
    ctx: JobContext,
    release: ReleaseRecord,
    wanted: Wanted,
    found: { git: Git; tree: WorkingTree; place: string; tasks: string[] },
  ) {
    this.release = release;
    this.wanted = wanted;
    this.isCommitThere = false;
    this.#here = ctx;
    this.#git = found.git;
    this.#tree = found.tree;
    this.#place = found.place;
    this.#tasks = found.tasks;
  }

  static async of(ctx: JobContext, version: string, wanted: Wanted): Promise<Shipment> {
    const { platform, project } = ctx;
    const release = await ctx.read((store) => requireRelease(store, version));
    const tasks = await ctx.read((store) => store.releases.tasks(version));
    const git = await platform.git();
    const tree = await platform.workingTree(project);
    const place = await git.placeOf(tree.folder);
    if (place === undefined) throw refusal('repository', 'is not there: a release is a commit', 'git init');
    if (!(await git.commit(tree.top, 'HEAD'))) throw refusal('repository', 'has no commit yet', 'git commit --allow-empty -m "Begin"');
    const shipment = new Shipment(ctx, release, wanted, { git, tree, place, tasks });
    shipment.isCommitThere = release.commit !== undefined && (await git.isCheckedOut(tree.top, release.commit));
    return shipment;
  }

  /** Refuses, before anything is done, what could not be done to the end; answers what is worth knowing. */
  async check(left: ReleaseStepName[], statement: string | undefined): Promise<string[]> {
    const { version, tag } = this.release;
    const { top, folder } = this.#tree;
    const warnings: string[] = [];
    const own = statement === undefined ? undefined : this.#placeOf(statement);
    if (left.includes('commit')) await this.#checkClean(own);
    if (left.includes('bump')) {
      const present = this.#versionFiles();
      const unfit = present.find((name) => semVerOnly.includes(name));
      if (unfit && !parseVersion(version)?.isSemVer)
        throw refusal('version', `${version} is not SemVer, which ${unfit} has to hold`, this.#retry('bumpVersion'));
      const unheld = present.filter((name) => this.#bumped(name) === undefined);
      if (unheld.length > 0) warnings.push(`${unheld.join(', ')} holds no version to change`);
      if (present.length === 0) warnings.push(`there is no version file in ${folder}`);
    }
    if (left.includes('tag')) {
      const tagged = await this.#git.tag(top, version);
      if (tagged && !(this.isCommitThere && tagged === this.release.commit))
        throw refusal('tag', `${version} stands for the commit ${tagged.slice(0, 12)} already`, this.#retry('createTag'));
    }
    if (left.includes('push')) {
      if (!(await this.#git.branch(top))) throw refusal('branch', 'is needed to push: none is checked out', this.#retry('push'));
      if (!(await this.#git.remote(top))) throw refusal('remote', 'is needed to push: there is none', this.#retry('push'));
      if (!left.includes('tag') && !tag) warnings.push('the branch is pushed without a tag');
    }
    return warnings;
  }

  /** What each step will do, in words. */
  intentions(left: ReleaseStepName[]): string[] {
    const { version } = this.release;
    const gates = this.#gates().map(([name]) => name);
    const words: Record<ReleaseStepName, string> = {
      gates: gates.length ? `run the gates ${gates.join(', ')}` : 'run no gates: none are configured',
      changelog: `write a section for ${version} into ${changelogFile}`,
      bump: `write ${version.slice(1)} into ${this.#versionFiles().join(', ') || 'no file'}`,
      commit: 'commit these files',
      tag: `make the annotated tag ${version}`,
      push: 'push the branch and the tag',
    };
    return left.map((step) => words[step]);
  }

  /** One step, written down before and after. */
  async take(step: ReleaseStepName): Promise<void> {
    await this.#record(step, 'begun');
    const what = await this.#acts[step]();
    await this.#record(step, 'done', what);
  }

  async digests(paths: string[]): Promise<Provenance['artifacts']> {
    const { platform, project } = this.#here;
    const found: Provenance['artifacts'] = [];
    for (const path of paths) {
      const file = await platform.fileIn(project, this.#tree, path);
      if (!file) throw new CleoError('E_NOT_FOUND', { id: path, what: 'file', fix: `cleo release show ${this.release.version}` });
      found.push({ name: file.name, sha256: platform.files.sha256(file.path) });
    }
    return found;
  }

  /** What the release comes from: its commit, the tasks, and the files that belong to it, as they were when it was made. */
  async keepProvenance(artifacts: Provenance['artifacts']): Promise<void> {
    const { files } = this.#here.platform;
    const { commit = '', provenance: before } = this.release;
    const own = [changelogFile, ...versionFiles].filter((name) => files.exists(join(this.#tree.folder, name)));
    const kept =
      before?.commit === commit ? before.artifacts : own.map((name) => ({ name, sha256: files.sha256(join(this.#tree.folder, name)) }));
    const older = kept.filter((each) => !artifacts.some(({ name }) => name === each.name));
    const tree = (await this.#git.treeOf(this.#tree.top, commit)) ?? '';
    await this.#save({ provenance: { commit, tree, tasks: this.#tasks, artifacts: [...older, ...artifacts] } });
  }

  async writeStatement(path: string): Promise<string> {
    const { platform, now } = this.#here;
    const target = platform.files.inside(this.#tree.folder, path);
    const statement = statementOf(this.release.version, now, this.release.provenance!, `cleo ${platform.version}`);
    platform.files.makeFolder(dirname(target));
    platform.files.writeWhole(target, `${JSON.stringify(statement, null, 2)}\n`);
    return path;
  }

  close = (): Promise<void> => this.#save({ status: 'shipped', shippedAt: this.release.shippedAt ?? this.#here.now });

  readonly #acts: Record<ReleaseStepName, () => Promise<string>> = {
    gates: () => this.#runGates(),
    changelog: async () => {
      const { version, changelog } = this.release;
      const path = join(this.#tree.folder, changelogFile);
      const section = changelogSection(version.slice(1), this.#here.now.slice(0, 10), changelog);
      const text = withSection(this.#here.platform.files.readText(path), version.slice(1), section);
      if (text === undefined) return `${changelogFile} has a section for it`;
      this.#here.platform.files.writeWhole(path, text);
      return changelogFile;
    },
    bump: async () => {
      const { files } = this.#here.platform;
      const written = this.#versionFiles().filter((name) => {
        const path = join(this.#tree.folder, name);
        const text = this.#bumped(name);
        if (text === undefined || text === files.readText(path)) return false;
        files.writeWhole(path, text);
        return true;
      });
      return written.join(', ') || 'no file had to be changed';
    },
    commit: async () => {
      const { top } = this.#tree;
      const own = this.#ownFiles();
      const changed = (await this.#git.status(top)).map(({ path }) => path).filter((path) => own.includes(path));
      const head = (await this.#git.commit(top, 'HEAD'))!;
      const commit = changed.length ? await this.#git.save(top, commitMessage(this.release.version, this.#tasks), changed) : head;
      this.release = { ...this.release, commit };
      this.isCommitThere = true;
      return changed.length ? commit : `${commit}, which holds everything already`;
    },
    tag: async () => {
      const { version, commit = '', changelog } = this.release;
      const tagged = await this.#git.tag(this.#tree.top, version);
      if (tagged !== commit) await this.#git.addTag(this.#tree.top, version, commit, tagMessage(version, changelog));
      this.release = { ...this.release, tag: version };
      return version;
    },
    push: async () => {
      const { top } = this.#tree;
      const remote = (await this.#git.remote(top)) ?? '';
      const branch = await this.#git.branch(top);
      const { tag } = this.release;
      try {
        await this.#git.push(top, remote, [`refs/heads/${branch}`, ...(tag ? [`refs/tags/${tag}`] : [])]);
      } catch (error) {
        if (!(error instanceof CleoError)) throw error;
        const problem = error.message.replace(/^git: /, '');
        throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem, fix: this.#retry() }, { cause: error });
      }
      return `${branch}${tag ? ` and ${tag}` : ''} to ${remote}`;
    },
  };

  async #runGates(): Promise<string> {
    const gates = this.#gates();
    for (const [name, command] of gates) {
      const words = wordsOf(command);
      const timeoutMs = this.#here.config()['release.gateTimeoutSeconds'] * 1000;
      const ran = await this.#here.platform.run(words, { folder: this.#tree.folder, timeoutMs });
      if (ran.exitCode === 0) continue;
      const how =
        ran.problem ?? (ran.stopped ? 'did not end in time' : ran.signal ? `was ended by ${ran.signal}` : `exited with ${ran.exitCode}`);
      throw new CleoError('E_VALIDATION', {
        field: 'gates',
        problem: `${name} has to succeed before a release: ${how}`,
        fix: commandLine(words),
        gate: name,
        output: `${ran.stdout}${ran.stderr}`.slice(-2000),
      });
    }
    return gates.length ? gates.map(([name]) => name).join(', ') : 'none are configured';
  }

  #gates(): [string, string | string[]][] {
    const prefix = 'release.gates.';
    const config: Partial<Config> = this.#here.config();
    return Object.entries(config).flatMap(([key, value]) =>
      key.startsWith(prefix) && value !== undefined ? [[key.slice(prefix.length), value as string | string[]]] : [],
    );
  }

  async #checkClean(statement: string | undefined): Promise<void> {
    const { version } = this.release;
    const isOurs = hasBegun(this.release, 'changelog');
    const mayChange = this.#ownFiles().filter((path) => isOurs || path !== `${this.#place}${changelogFile}`);
    const own = [...mayChange, ...(statement ? [statement] : [])];
    // Killed while it wrote one of them, a ship leaves the draft of it, which is nobody's change.
    const { sweepDraftsOf } = await import('#platform/private-file.ts');
    for (const path of this.#ownFiles()) sweepDraftsOf(join(this.#tree.top, path));
    const changed = (await this.#git.status(this.#tree.top)).map(({ path }) => path);
    const paths = inTheWay(changed, { own, folders: [`${this.#place}.cleo`] });
    if (paths.length === 0) return;
    const named = paths.length <= 20 ? paths : ['.'];
    const add = commandLine(['git', 'add', '--', ...named]);
    throw new CleoError('E_VALIDATION', {
      field: 'tree',
      problem: `is not clean: ${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ` and ${paths.length - 10} more` : ''}. A release commits only the version and the changelog`,
      fix: `${add} && ${commandLine(['git', 'commit', '-m', `Before ${version}`, '--', ...named])}`,
      paths: paths.slice(0, 100),
    });
  }

  /** A file of the project, as git names it; refuses what lies outside. */
  #placeOf(path: string): string {
    const target = this.#here.platform.files.inside(this.#tree.folder, path);
    return `${this.#place}${relative(this.#tree.folder, target).replaceAll('\\', '/')}`;
  }

  /** Paths from the top of the tree. */
  #ownFiles = (): string[] => [changelogFile, ...versionFiles].map((name) => `${this.#place}${name}`);

  #versionFiles = (): string[] => versionFiles.filter((name) => this.#here.platform.files.exists(join(this.#tree.folder, name)));

  #bumped(name: string): string | undefined {
    const text = this.#here.platform.files.readText(join(this.#tree.folder, name));
    return text === undefined ? undefined : bumped(name, text, this.release.version.slice(1));
  }

  async #record(step: ReleaseStepName, state: 'begun' | 'done', what?: string): Promise<void> {
    const { platform } = this.#here;
    const steps = withStep(this.release.steps, { step, state, at: platform.now(), ...(what ? { what } : {}) });
    await this.#save({ steps, status: this.release.status === 'shipped' ? 'shipped' : 'shipping' });
  }

  async #save(change: Partial<ReleaseRecord>): Promise<void> {
    this.release = { ...this.release, ...change };
    await this.#here.write((store) => store.releases.save(this.release));
  }

  /** This very call, without that flag. */
  #retry = (flag?: keyof Wanted): string => this.#here.commandWith(flag ? { [flag]: undefined } : {});
}

const refusal = (field: string, problem: string, fix: string): CleoError => new CleoError('E_VALIDATION', { field, problem, fix });
