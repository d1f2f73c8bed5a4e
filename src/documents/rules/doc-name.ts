import { slugify } from '#lib/slug.ts';

const maxSlugLength = 64;

/** Converts a title or file name to a slug; undefined if it has no letter or digit that a slug can contain. */
export function toDocSlug(text: string): string | undefined {
  return slugify(text, { maxLength: maxSlugLength }) || undefined;
}

/** Returns the file name without extension: `docs/Parser Notes.md` becomes `Parser Notes`, `.env` stays. */
export const getBaseName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/(?<=.)\.[A-Za-z0-9]{1,10}$/, '');

/** Shortens a slug so that a number can be appended. */
export const getSlugStem = (slug: string): string => slug.slice(0, maxSlugLength - 6).replace(/-+$/, '');

export function findFreeSlug(slug: string, usedSlugs: readonly string[]): string {
  const used = new Set(usedSlugs);
  for (let n = 2; ; n++) if (!used.has(`${getSlugStem(slug)}-${n}`)) return `${getSlugStem(slug)}-${n}`;
}

/** Finds the first `#` heading near the start of a Markdown text. */
export function findTitle(text: string): string | undefined {
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
