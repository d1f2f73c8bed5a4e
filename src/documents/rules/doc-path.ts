/** Why a path is none of the project by its form alone; undefined where it may be one. */
export function pathProblem(path: string): string | undefined {
  if (/^[/\\]|^[A-Za-z]:[/\\]/.test(path)) return 'is an absolute path; give one from the project folder';
  if (path.split(/[/\\]/).includes('..')) return 'leads upwards; give a path from the project folder';
  return undefined;
}

/** Of what cleo keeps, results of agents are for all; the rest may hold passwords, and git's folder is git's. */
export function isPrivatePath(name: string): boolean {
  const parts = name.split('/').map((part) => part.toLowerCase());
  const own = parts.indexOf('.cleo');
  return parts.includes('.git') || (own >= 0 && !(parts.length > own + 2 && shared.includes(parts[own + 1]!)));
}

const shared = ['research', 'skills', 'adrs', 'agent-outputs'];
