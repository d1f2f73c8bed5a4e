import { check, description, maxLength, metadata, pipe, string, transform } from 'valibot';

interface ParsedVersion {
  /** Name of the tag and the release: `v1.0.0`. */
  tag: string;
  /** The version in files: `1.0.0`. */
  plain: string;
  isSemVer: boolean;
}

const part = '(?:0|[1-9]\\d*)';
const name = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const semVer = new RegExp(`^${part}\\.${part}\\.${part}(?:-${name}(?:\\.${name})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);
// Year and month, up to two more numbers, and an optional suffix such as `-rc1`.
const calVer = /^(?:20\d\d|[1-9]\d)\.(?:0?[1-9]|1[0-2])(?:\.\d{1,4}){0,2}(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;

/** Parses SemVer or CalVer, with or without a `v`. Nothing else is allowed, so that a version is safe in tags, file names and commands. */
export function parseVersion(text: string): ParsedVersion | undefined {
  const plain = text.startsWith('v') ? text.slice(1) : text;
  // Git rejects tag names that end in .lock.
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
