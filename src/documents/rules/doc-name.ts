const longest = 64;

/** A slug made of a title or a file name without its ending; undefined where nothing of it can stand in one. */
export function slugFrom(text: string): string | undefined {
  const slug = text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, longest)
    .replace(/-+$/, '');
  return slug === '' ? undefined : slug;
}

/** `docs/Parser Notes.md` → `Parser Notes`; a name that is all ending, as `.env`, stays. */
export const baseName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/(?<=.)\.[A-Za-z0-9]{1,10}$/, '');

/** What free slugs beside this one begin with: room for a number is left. */
export const stemOf = (slug: string): string => slug.slice(0, longest - 6).replace(/-+$/, '');

export function freeSlug(slug: string, taken: readonly string[]): string {
  const known = new Set(taken);
  for (let n = 2; ; n++) if (!known.has(`${stemOf(slug)}-${n}`)) return `${stemOf(slug)}-${n}`;
}

/** The first heading of a Markdown text near its beginning, as a title. */
export function titleIn(text: string): string | undefined {
  let isCode = false;
  for (const line of text.slice(0, 20_000).split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^\ufeff?#[ \t]+(.+)$/.exec(line)?.[1];
    const title = heading
      ?.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
      .replace(/\s+#+\s*$/, '')
      .trim()
      .slice(0, 200)
      .replace(/[\ud800-\udbff]$/, '')
      .trim();
    if (title) return title;
  }
  return undefined;
}
