interface SlugOptions {
  maxLength: number;
  /** Replaces every run of characters that the slug cannot contain. */
  separator?: '-' | '_';
  /** Punctuation that the slug may contain, as the inside of a character class of a regular expression. */
  allow?: string;
}

/** Turns a text into lower-case ASCII for names and ids: `Über uns!` becomes `uber-uns`. Empty if no letter or digit is left. */
export function slugify(text: string, { maxLength, separator = '-', allow = '' }: SlugOptions): string {
  const slug = text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(new RegExp(`[^a-z0-9${allow}]+`, 'g'), separator)
    .replace(new RegExp(`^${separator}+`), '')
    .slice(0, maxLength)
    .replace(new RegExp(`${separator}+$`), '');
  return /[a-z0-9]/.test(slug) ? slug : '';
}
