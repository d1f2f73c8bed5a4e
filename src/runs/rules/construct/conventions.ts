import type { CaptureSpec, Construct, GoalSpec, SkillSpec } from '../../model/construct.ts';

export const defaultTimeoutMs = 600_000;
export const defaultKillGraceMs = 1500;
export const noGoal: GoalSpec = { mode: 'off', enforce: false, rubric: [] };
export const defaultCapture: CaptureSpec = { enabled: true, retentionDays: 30, inputs: 'hashed', outputs: 'summary' };

/** A skill that is declared by its name alone. */
export const createSkillSpec = (name: string): SkillSpec => ({ name, required: true, shell: false, env: [], credentials: [] });

const maxPathLength = 1024;

/** The reason why a path in a manifest is invalid. Symbolic links are checked when the path is used. */
export function findManifestPathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > maxPathLength) return `has more than ${maxPathLength} characters`;
  if (/^([/\\]|[A-Za-z]:)/.test(path)) return 'is absolute; paths are relative to the project';
  if (path.includes('\\')) return 'has a backslash; paths are written with /';
  if (path.split('/').includes('..')) return 'leaves the project';
  return /[\u0000-\u001f]/.test(path) ? 'has a control character' : undefined;
}

/** The reason why a skill name is invalid. Skill names are used as names of folders and files. */
export const findSkillNameProblem = (name: string): string | undefined =>
  /^[^\s/\\\u0000-\u001f-][^/\\\u0000-\u001f]{0,99}$/.test(name) && name !== '.' && name !== '..'
    ? undefined
    : `${JSON.stringify(name)} is not a valid skill name; use the name of its folder`;

/** Default names of a manifest. */
export const manifestNames = ['construct.yaml', '.cleo/construct.yaml'] as const;

const variable = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The distinct variable names in these paths. */
export const findVariables = (texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map((found) => found[1]!))),
];

/** True if a value can be one segment of a path, without leading elsewhere. */
export const isSafePathSegment = (value: string): boolean => /^[A-Za-z0-9._-]+$/.test(value) && value !== '.' && value !== '..';

/** Replaces the variables of a path; names without a value stay as they are. */
export const expandVariables = (path: string, vars: Record<string, string>): string =>
  path.replace(variable, (whole, name: string) => (Object.hasOwn(vars, name) ? vars[name]! : whole));

/** True if the construct itself names a command: a judge, an executor, the command of a skill, or a `command` check. */
export const hasCommands = ({ judge, executor, skills, phases }: Pick<Construct, 'judge' | 'executor' | 'skills' | 'phases'>): boolean =>
  judge !== undefined ||
  executor !== undefined ||
  skills.some(({ run }) => run !== undefined) ||
  phases.some(({ gates: { precondition, execution, output } }) =>
    [precondition, execution, output].some(({ checks }) => checks.some(({ kind }) => kind === 'command')),
  );
