/** Splits a command line into words as a POSIX shell does, for lines that are quoted like those of `commandLine`. Returns undefined if a
 *  quote is open or the line needs a shell: several commands, a redirection, a variable, a pattern. */
export function parseShellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let rest = line;
  while (rest !== '') {
    const [token, single, double, escaped, plain] =
      /^(?:'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\|&;<>()$`*?[\]{}#~!]+|#|~|!)|\s+)/.exec(rest) ?? [];
    if (token === undefined) return undefined;
    rest = rest.slice(token.length);
    if (/^\s/.test(token)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
  }
  return word === undefined ? words : [...words, word];
}

/** Splits a command line at white space, except inside quotes. A list of words is returned as it is. */
export function splitCommand(command: string | string[]): string[] {
  if (typeof command !== 'string') return command;
  return [...command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
