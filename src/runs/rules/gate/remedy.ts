/** Section by section, what is still to be written. */
export const remedyOf = (path: string, sections: { id: string; lacks: string[] }[]): string =>
  `${path}: ${sections
    .filter(({ lacks }) => lacks.length > 0)
    .map(({ id, lacks }) => `${id} needs ${lacks.join(', ')}`)
    .join('; ')}`;

/** What such texts, a line each, ask for: sections of files; and files, where one is to be written that is not there at all. */
export const remedied = (remedy: string): { path: string; section?: string }[] =>
  remedy.split('\n').flatMap((line) => {
    const whole = /^write (\S.*)$/.exec(line);
    if (whole) return [{ path: whole[1]! }];
    const [path = '', rest] = line.split(/: (.*)/s);
    return [...(rest ?? '').matchAll(/(?:^|; )(\S+) needs /g)].map(([, section]) => ({ path, section: section! }));
  });
