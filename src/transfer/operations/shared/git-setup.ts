import { isAbsolute, join, relative, resolve } from 'node:path';
import { quote } from '#core/errors/catalog.ts';
import type { Git, Platform, WorkingTree } from '#platform/port.ts';
import {
  addAttributes,
  addHook,
  admittedPlanLines,
  formatGitHookCommand,
  formatManagerSteps,
  type GitHookName,
  gitHookNames,
  type HookManager,
  mergeDriverSettings,
  removeAttributes,
  removeHook,
} from '../../rules/git-hooks.ts';

type HooksLocation = NonNullable<Awaited<ReturnType<Git['findHooks']>>>;

interface FileEdit {
  /** As the answer names it: relative to the checkout where possible. */
  file: string;
  path: string;
  change: 'created' | 'updated' | 'deleted';
  text?: string;
  isExecutable?: true;
}

interface GitSetupPlan {
  edits: FileEdit[];
  /** Values of `.git/config`; undefined removes the key. */
  settings: Record<string, string | undefined>;
  /** Lines that a person adds. */
  steps: string[];
  warnings: string[];
}

/** Finds everything that `setup git` has to write, or to remove. */
export async function planGitSetup(
  platform: Platform,
  { tree, hooks, git, isRemoval }: { tree: WorkingTree; hooks: HooksLocation; git: Git; isRemoval: boolean },
): Promise<GitSetupPlan> {
  const plan: GitSetupPlan = { edits: [], settings: {}, steps: [], warnings: [] };
  const { files } = platform;
  const toName = (path: string): string => {
    const name = relative(tree.top, path);
    return name.startsWith('..') || isAbsolute(name) ? path : name.replaceAll('\\', '/');
  };
  const addEdit = (path: string, before: string | undefined, after: string | undefined, isExecutable?: true): void => {
    if (before === after) return;
    const change = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
    plan.edits.push({
      file: toName(path),
      path,
      change,
      ...(after === undefined ? {} : { text: after }),
      ...(isExecutable ? { isExecutable } : {}),
    });
  };
  planHooks(platform, { tree, hooks, isRemoval }, plan, addEdit);
  for (const [key, value] of Object.entries(mergeDriverSettings)) {
    const current = await git.readSetting(tree.top, key);
    if (isRemoval ? current !== undefined : current !== value) plan.settings[key] = isRemoval ? undefined : value;
  }
  const folder = join(tree.folder, '.cleo');
  const attributes = join(folder, '.gitattributes');
  const before = files.readText(attributes);
  if (!isRemoval) addEdit(attributes, before, addAttributes(before));
  else if (before !== undefined) addEdit(attributes, before, removeAttributes(before).trim() === '' ? undefined : removeAttributes(before));
  if (!isRemoval) await admitPlan(platform, { tree, git }, plan, addEdit);
  return plan;
}

type AddEdit = (path: string, before: string | undefined, after: string | undefined, isExecutable?: true) => void;

function planHooks(
  { files }: Platform,
  { tree, hooks, isRemoval }: { tree: WorkingTree; hooks: HooksLocation; isRemoval: boolean },
  plan: GitSetupPlan,
  addEdit: AddEdit,
): void {
  const manager = findManager({ files }, tree, hooks);
  if (manager) {
    if (!isRemoval) plan.steps.push(formatManagerSteps(manager));
    return;
  }
  // A folder that serves several repositories is not ours to change.
  const isShared = hooks.hooksPath !== undefined && !isInside(tree.top, hooks.folder) && !isInside(hooks.common, hooks.folder);
  for (const name of gitHookNames) {
    const path = join(hooks.folder, name);
    const before = files.readText(path);
    const edit = isShared ? { kind: 'manual' as const } : isRemoval ? removeHook(before) : addHook(before, name);
    if (edit.kind === 'write') addEdit(path, before, edit.text, true);
    else if (edit.kind === 'delete') addEdit(path, before, undefined);
    else if (edit.kind === 'manual' && !isRemoval) plan.steps.push(formatStep(path, name));
  }
}

const formatStep = (path: string, name: GitHookName): string => `${path}: ${formatGitHookCommand(name)}`;

const isInside = (folder: string, path: string): boolean => {
  const name = relative(resolve(folder), resolve(path));
  return !name.startsWith('..') && !isAbsolute(name);
};

/** Finds the tool that manages the hooks: husky sets `core.hooksPath`, lefthook writes hooks that call it. */
function findManager(
  { files }: Pick<Platform, 'files'>,
  { top }: WorkingTree,
  { folder, hooksPath }: HooksLocation,
): HookManager | undefined {
  if (hooksPath && /(?:^|[\\/])\.husky(?:[\\/]|$)/.test(hooksPath)) return 'husky';
  const hasFile = ['', '.'].some((dot) => ['yml', 'yaml', 'toml', 'json'].some((end) => files.exists(join(top, `${dot}lefthook.${end}`))));
  const isInstalled = gitHookNames.some((name) => /\blefthook\b/.test(files.readText(join(folder, name)) ?? ''));
  return hasFile || isInstalled ? 'lefthook' : undefined;
}

/** Creates a missing `.cleo/.gitignore`, without which a commit would contain the database. Adds lines to it if git ignores the plan
 *  because of it, and warns if another file ignores the plan. */
async function admitPlan(
  { files }: Platform,
  { tree, git }: { tree: WorkingTree; git: Git },
  plan: GitSetupPlan,
  addEdit: AddEdit,
): Promise<void> {
  const sample = join(tree.folder, '.cleo', 'plan', 'tasks', 'x.json');
  const path = join(tree.folder, '.cleo', '.gitignore');
  const stored = files.readText(path);
  if (stored === undefined) addEdit(path, undefined, (await import('#admin/rules/local-files.ts')).formatGitignore());
  if (!(await git.isIgnored(tree.top, sample))) return;
  const text = stored ?? '';
  const isOwn = text.split('\n').some((line) => ['*', '/*', 'plan', 'plan/', '/plan', '/plan/', 'plan/*', '/plan/*'].includes(line.trim()));
  const isAdmitted = admittedPlanLines.every((line) => text.split('\n').includes(line));
  if (isOwn && !isAdmitted) addEdit(path, text, `${text.replace(/\n?$/, '\n')}${admittedPlanLines.join('\n')}\n`);
  else plan.warnings.push(`git ignores .cleo/plan; git check-ignore -v ${quote(relative(tree.top, sample))} names the line to remove`);
}

export async function writeGitSetup(platform: Platform, tree: WorkingTree, git: Git, { edits, settings }: GitSetupPlan): Promise<void> {
  const { files } = platform;
  for (const { path, text, isExecutable } of edits) {
    if (text === undefined) files.remove(path);
    else {
      files.createFolder(join(path, '..'), false);
      files.writeAtomic(path, text, false);
      if (isExecutable) files.makeExecutable(path);
    }
  }
  for (const [key, value] of Object.entries(settings)) await git.writeSetting(tree.top, key, value);
}
