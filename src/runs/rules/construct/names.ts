const longestPath = 1024;

/** Why a path cannot be meant; links are looked at when it is used. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > longestPath) return `has more than ${longestPath} characters`;
  if (/^([/\\]|[A-Za-z]:)/.test(path)) return 'is absolute; paths are relative to the project';
  if (path.includes('\\')) return 'has a backslash; paths are written with /';
  if (path.split('/').includes('..')) return 'leaves the project';
  return /[\u0000-\u001f]/.test(path) ? 'has a control character' : undefined;
}

/** Why a skill cannot be called so: it is the name of a folder, and of files that are kept of it. */
export const skillNameProblem = (name: string): string | undefined =>
  /^[^\s/\\\u0000-\u001f-][^/\\\u0000-\u001f]{0,99}$/.test(name) && name !== '.' && name !== '..'
    ? undefined
    : `${JSON.stringify(name)} is no name for a skill: it is the name of a folder`;

/** What a manifest is called where nobody says. */
export const manifestNames = ['construct.yaml', '.cleo/construct.yaml'] as const;
