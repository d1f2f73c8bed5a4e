/** Converts an assignee as callers write it: `me` is the caller, a leading @ is dropped. Undefined for `none` and the empty text. */
export function parseAssignee(text: string, caller: string): string | undefined {
  const name = text.trim().replace(/^@(?=.)/, '');
  return name === 'me' ? caller : name === '' || name === 'none' ? undefined : name;
}

/** Checks whether a task is for a caller of these names: the assignee itself, or an agent whose name begins with `<assignee>-`. */
export const isForCaller = (assignee: string, names: string[]): boolean =>
  names.some((name) => name === assignee || name.startsWith(`${assignee}-`));
