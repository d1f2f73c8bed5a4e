/** The file of the recorded grades, below `.cleo`. */
export const gradesFile = 'metrics/GRADES.jsonl';

/** Path of a signed grade below `.cleo`. Characters that not every file system allows are encoded. */
export const toStatementPath = (sessionId: string): string => `plan/grades/${encodeURIComponent(sessionId)}.json`;
