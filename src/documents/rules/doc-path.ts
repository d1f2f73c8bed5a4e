/** Returns the problem of a path that cannot be inside the project, judged by its text alone. */
export function checkDocPath(path: string): string | undefined {
  if (/^[/\\]|^[A-Za-z]:[/\\]/.test(path)) return 'is an absolute path; use a path relative to the project folder';
  if (path.split(/[/\\]/).includes('..')) return 'contains ..; use a path relative to the project folder';
  return undefined;
}

/** True for `.git` and `.cleo`, which may contain passwords, except for the folders of `.cleo` with results of agents. */
export function isPrivatePath(name: string): boolean {
  const parts = name.split('/').map((part) => part.toLowerCase());
  const cleoIndex = parts.indexOf('.cleo');
  return parts.includes('.git') || (cleoIndex >= 0 && !(parts.length > cleoIndex + 2 && sharedFolders.includes(parts[cleoIndex + 1]!)));
}

const sharedFolders = ['research', 'skills', 'adrs', 'agent-outputs'];
