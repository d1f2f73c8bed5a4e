import { findBlock, tomlMarks } from '#lib/marked-block.ts';

/** The git hooks that keep the plan files and the store in step. */
export const gitHookNames = ['pre-commit', 'post-merge', 'post-checkout', 'post-rewrite'] as const;
export type GitHookName = (typeof gitHookNames)[number];

/** A comment of a shell script begins like one of TOML. */
const marks = tomlMarks;

const removeHint = 'Keeps .cleo/plan and the tasks in step. Remove it with: cleo setup git --remove';

/** The command line of a hook, for a shell. Only a secret (6) stops a commit; without cleo nothing happens. */
export function formatGitHookCommand(name: GitHookName): string {
  const run = `cleo sync --git-hook ${name} --human >&2`;
  if (name === 'pre-commit') return `${run} || [ $? -ne 6 ] || exit 6`;
  // The third argument is 0 if only files were checked out. A new branch at the same commit changes no file.
  return name === 'post-checkout' ? `[ "$3" = 0 ] || [ "$1" = "$2" ] || ${run} || :` : `${run} || :`;
}

const formatBody = (name: GitHookName): string =>
  `# ${removeHint}\nif command -v cleo >/dev/null 2>&1; then\n  ${formatGitHookCommand(name)}\nfi\n`;

type HookEdit =
  | { kind: 'unchanged' }
  | { kind: 'write'; text: string }
  | { kind: 'delete' }
  /** The file is not a shell script, or its marks are not a pair. */
  | { kind: 'manual' };

/** Adds our lines to a hook, below its first line: a script may end with `exit` or `exec`, and lines after that never run. */
export function addHook(text: string | undefined, name: GitHookName): HookEdit {
  const before = text ?? '#!/bin/sh\n';
  if (!isShellScript(before)) return { kind: 'manual' };
  const found = findBlock(before, marks);
  if (found === 'broken') return { kind: 'manual' };
  const body = formatBody(name);
  if (found?.body === body) return { kind: 'unchanged' };
  const block = `${marks.begin}\n${body}${marks.end}`;
  if (found) return { kind: 'write', text: before.slice(0, found.start) + block + before.slice(found.end) };
  const hasShebang = before.startsWith('#!');
  const head = hasShebang ? `${before.split('\n', 1)[0]}\n` : '';
  const rest = before.slice(head.length);
  return { kind: 'write', text: `${head}${block}\n${rest}` };
}

/** Removes our lines. A hook without other lines is deleted. */
export function removeHook(text: string | undefined): HookEdit {
  if (text === undefined) return { kind: 'unchanged' };
  const found = findBlock(text, marks);
  if (found === 'broken') return { kind: 'manual' };
  if (!found) return { kind: 'unchanged' };
  // The line break after the block was added with it.
  const end = text[found.end] === '\n' ? found.end + 1 : found.end;
  const rest = text.slice(0, found.start) + text.slice(end);
  return rest.trim() === '' || rest.trim() === '#!/bin/sh' ? { kind: 'delete' } : { kind: 'write', text: rest };
}

/** A hook without a first line that names its interpreter is run by a shell. */
const isShellScript = (text: string): boolean => !text.startsWith('#!') || /^#!.*\b(?:sh|bash|dash|ash|zsh|ksh)\b/.test(text);

/** The tool that manages the hooks of a repository, and writes them again when it runs. */
export type HookManager = 'husky' | 'lefthook';

/** Describes what to add for a tool that manages the hooks. */
export function formatManagerSteps(manager: HookManager): string {
  if (manager === 'husky') return gitHookNames.map((name) => `.husky/${name}: ${formatGitHookCommand(name)}`).join('\n');
  const lines = gitHookNames.map((name) => `${name}:\n  commands:\n    cleo:\n      run: ${toLefthookCommand(name)}`);
  return `lefthook.yml:\n${lines.join('\n')}`;
}

/** Lefthook replaces {1} with the first argument of the hook. */
const toLefthookCommand = (name: GitHookName): string =>
  JSON.stringify(formatGitHookCommand(name).replace(/\$([123])/g, (_, n: string) => `{${n}}`));

const mergeDriver = 'cleo-plan';

/** Settings of the merge driver. Without cleo, or if it fails, git merges the lines. */
export const mergeDriverSettings: Record<string, string> = {
  [`merge.${mergeDriver}.name`]: 'records of .cleo/plan by field',
  [`merge.${mergeDriver}.driver`]: 'cleo sync --merge %O %A %B >/dev/null 2>&1 || git merge-file -q %A %O %B',
};

/** Lines of `.cleo/.gitattributes`. A file with other line ends would not be canonical. Grades are lines that are only appended. */
const attributeLines = [
  `plan/** text eol=lf merge=${mergeDriver}`,
  'plan/contents/** -text -merge',
  'metrics/GRADES.jsonl text eol=lf merge=union',
];

export const addAttributes = (text: string | undefined): string => {
  const lines = (text ?? '').split('\n');
  const missing = attributeLines.filter((line) => !lines.includes(line));
  if (missing.length === 0) return text ?? '';
  const before = text === undefined || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
  return `${before}${missing.join('\n')}\n`;
};

export const removeAttributes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !attributeLines.includes(line))
    .join('\n');

/** Lines that make git accept the plan although a line of `.cleo/.gitignore` matches it. */
export const admittedPlanLines = ['!/plan/', '!/plan/**'];
