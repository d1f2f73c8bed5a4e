import { check, description, maxLength, metadata, pipe, string, transform } from 'valibot';

export interface ParsedVersion {
  /** As tags and releases are called: `v1.0.0`. */
  tag: string;
  /** As files hold it: `1.0.0`. */
  plain: string;
  isSemVer: boolean;
}

const part = '(?:0|[1-9]\\d*)';
const name = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const semVer = new RegExp(`^${part}\\.${part}\\.${part}(?:-${name}(?:\\.${name})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);
// Year and month, then a day or a number or both, then a word such as `-rc1`.
const calVer = /^(?:20\d\d|[1-9]\d)\.(?:0?[1-9]|1[0-2])(?:\.\d{1,4}){0,2}(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;

/** SemVer or CalVer, with or without a `v`; nothing else, so that a version can stand in a tag, a file name or a command. */
export function parseVersion(text: string): ParsedVersion | undefined {
  const plain = text.startsWith('v') ? text.slice(1) : text;
  // Git takes no name that ends so.
  if (plain.length > 80 || plain.endsWith('.lock')) return undefined;
  const isSemVer = semVer.test(plain);
  return isSemVer || calVer.test(plain) ? { tag: `v${plain}`, plain, isSemVer } : undefined;
}

export const Version = pipe(
  string(),
  maxLength(100, 'must have at most 100 characters'),
  check((text) => parseVersion(text) !== undefined, 'must be SemVer such as v1.0.0 or CalVer such as v2026.11'),
  transform((text) => parseVersion(text)!.tag),
  description('The version, SemVer or CalVer: v1.0.0, v2026.11'),
  metadata({ value: 'VERSION' }),
);
