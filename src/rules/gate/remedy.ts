/** Section by section, what is still to be written. */
export const remedyOf = (path: string, sections: { id: string; lacks: string[] }[]): string =>
  `${path}: ${sections
    .filter(({ lacks }) => lacks.length > 0)
    .map(({ id, lacks }) => `${id} needs ${lacks.join(', ')}`)
    .join('; ')}`;

/** The sections that such a text names, each with its file. */
export const remediedSections = (remedy: string): { path: string; section: string }[] =>
  remedy.split('\n').flatMap((line) => {
    const [path = '', rest] = line.split(/: (.*)/s);
    return [...(rest ?? '').matchAll(/(?:^|; )(\S+) needs /g)].map(([, section]) => ({ path, section: section! }));
  });
