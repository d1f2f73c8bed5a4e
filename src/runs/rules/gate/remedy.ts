/** Lists what each section of a document still needs. */
export const formatRemedy = (path: string, sections: { id: string; lacks: string[] }[]): string =>
  `${path}: ${sections
    .filter(({ lacks }) => lacks.length > 0)
    .map(({ id, lacks }) => `${id} needs ${lacks.join(', ')}`)
    .join('; ')}`;

/** Parses remedies, one per line: the sections of files that need work, and the files that have to be written. */
export const parseRemedy = (remedy: string): { path: string; section?: string }[] =>
  remedy.split('\n').flatMap((line) => {
    const whole = /^write (\S.*)$/.exec(line);
    if (whole) return [{ path: whole[1]! }];
    const [path = '', rest] = line.split(/: (.*)/s);
    return [...(rest ?? '').matchAll(/(?:^|; )(\S+) needs /g)].map(([, section]) => ({ path, section: section! }));
  });
