import { defined } from '#lib/collections.ts';
import { createCodeDetector } from './source-values.ts';

interface IssueBody {
  description: string;
  acceptance: { text: string; met: boolean }[];
  blockedBy: string;
  files: string[];
  depends: string[];
  parent?: string;
  /** Issues listed in a task list. */
  children: string[];
}

// All repetitions are bounded, so that no body can cause excessive backtracking.
const repositoryPattern = '[\\w.-]{1,100}/[\\w.-]{1,100}';
const refPattern = `(?:${repositoryPattern})?#\\d{1,15}|https?://[^\\s/]{1,100}/${repositoryPattern}/issues/\\d{1,15}`;
const refListPattern = `(?:${refPattern})(?:\\s{0,3}(?:,|\\band\\b|)\\s{1,3}(?:${refPattern}))*`;
const dependsPattern = new RegExp(`\\b(?:blocked by|depends on)\\b:?\\s{1,3}(${refListPattern})`, 'gi');
const parentPattern = new RegExp(
  `^[ \\t]{0,8}(?:part of|parent|child of|sub-issue of)\\b:?[ \\t]{1,3}(${refPattern})[ \\t]{0,8}\\.?[ \\t]{0,8}$`,
  'im',
);
const childPattern = new RegExp(`^(${refPattern})$`);

/** Our export appends this marker to each body, so that tasks are found again after GitHub has assigned numbers. */
const markerPattern = /^<!-- cleo (T\d+)(?: parent (T\d+))?(?: depends (T\d+(?:,T\d+)*))? -->$/gm;

/** The last marker is ours; the text above it can contain anything. */
const findMarker = (body: string): RegExpExecArray | undefined => [...body.matchAll(markerPattern)].at(-1);

export function parseImportMarker(body: string): { id: string; parent?: string; depends: string[] } | undefined {
  const [, id, parent, depends] = findMarker(body) ?? [];
  return id ? defined({ id, parent, depends: depends?.split(',') ?? [] }) : undefined;
}

export const headings = { criteria: '## Acceptance criteria', blocked: '## Blocked', files: '## Files' };

export const formatImportMarker = (id: string, parent: string | undefined, depends: string[]): string =>
  `<!-- cleo ${id}${parent ? ` parent ${parent}` : ''}${depends.length > 0 ? ` depends ${depends.join(',')}` : ''} -->`;

/** Parses the text of an issue. Items of task lists become criteria or children, the rest the description. */
export function parseIssueText(body: string, repository: string, isBlocked: boolean): IssueBody {
  const toIssueId = (ref: string): string => {
    const [, other, number] = /(?:([\w.-]{1,100}\/[\w.-]{1,100})(?:\/issues\/|#)|#)(\d+)$/.exec(ref) ?? [];
    return `${repository && (other ?? repository)}#${number}`;
  };
  const parsed: IssueBody = { description: '', acceptance: [], blockedBy: '', files: [], depends: [], children: [] };
  const prose: string[] = [];
  const isCode = createCodeDetector();
  const marker = findMarker(body);
  const lines = (marker ? body.slice(0, marker.index) + body.slice(marker.index + marker[0].length) : body).split('\n');
  const remaining = lines.filter((line) => {
    if (isCode(line)) return true;
    const [, box, text] = /^\s*(?:[-*+]|\d+[.)]) \[([ xX])\]\s+(\S.*)$/.exec(line) ?? [];
    if (text === undefined) {
      prose.push(line);
      return true;
    }
    const child = childPattern.exec(text.trim())?.[1];
    if (child) parsed.children.push(toIssueId(child));
    else parsed.acceptance.push({ text: text.trim(), met: box !== ' ' });
    return false;
  });
  const proseText = prose.join('\n');
  parsed.depends = [...proseText.matchAll(dependsPattern)].flatMap(([, list]) =>
    [...list!.matchAll(new RegExp(refPattern, 'g'))].map(([ref]) => toIssueId(ref)),
  );
  const parent = parentPattern.exec(proseText)?.[1];
  const rest = removeEmptyHeadings(remaining);
  if (marker) {
    const parsePath = (line: string): string | undefined => /^- `(.+)`$/.exec(line)?.[1];
    if (isBlocked)
      parsed.blockedBy = takeSection(rest, headings.blocked, () => true)
        .join('\n')
        .trim();
    parsed.files = takeSection(rest, headings.files, (line) => line.trim() === '' || parsePath(line) !== undefined).flatMap(
      (line) => parsePath(line) ?? [],
    );
  }
  const description = rest.join('\n').trim();
  // Removed lines leave gaps.
  parsed.description = rest.length < body.split('\n').length ? description.replace(/\n{3,}/g, '\n\n') : description;
  return { ...parsed, ...(parent ? { parent: toIssueId(parent) } : {}) };
}

/** Removes headings whose section contained only task lists. */
function removeEmptyHeadings(lines: string[]): string[] {
  return lines.filter((line, i) => {
    const level = /^(#{1,6}) /.exec(line)?.[1]?.length;
    if (level === undefined || !/criteria|tasks?\b|to ?do|done|checklist/i.test(line)) return true;
    let at = i + 1;
    while (lines[at]?.trim() === '') at += 1;
    const next = lines[at];
    return next !== undefined && (/^(#{1,6}) /.exec(next)?.[1]?.length ?? 7) > level;
  });
}

/** Removes the last section with this heading from `lines` and returns its lines, if all of them match. */
function takeSection(lines: string[], heading: string, matches: (line: string) => boolean): string[] {
  const at = lines.lastIndexOf(heading);
  if (at < 0) return [];
  let end = at + 1;
  while (end < lines.length && !/^## /.test(lines[end]!)) end += 1;
  return lines.slice(at + 1, end).every(matches) ? lines.splice(at, end - at).slice(1) : [];
}
