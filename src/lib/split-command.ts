/** Splits a command line at white space, except inside quotes. A list of words is returned as it is. */
export function splitCommand(command: string | string[]): string[] {
  if (typeof command !== 'string') return command;
  return [...command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
