export interface Body {
  description: string;
  acceptance: { text: string; met: boolean }[];
  blockedBy: string;
  files: string[];
  depends: string[];
  parent?: string;
  /** Issues that stand in a task list: work that the issue consists of. */
  children: string[];
}

// Every part is bounded: a body may be anybody's, and must not make a pattern search it again and again.
const name = '[\\w.-]{1,100}/[\\w.-]{1,100}';
const ref = `(?:${name})?#\\d{1,15}|https?://[^\\s/]{1,100}/${name}/issues/\\d{1,15}`;
const refs = `(?:${ref})(?:\\s{0,3}(?:,|\\band\\b|)\\s{1,3}(?:${ref}))*`;
const needs = new RegExp(`\\b(?:blocked by|depends on)\\b:?\\s{1,3}(${refs})`, 'gi');
const within = new RegExp(`^[ \\t]{0,8}(?:part of|parent|child of|sub-issue of)\\b:?[ \\t]{1,3}(${ref})[ \\t]{0,8}\\.?[ \\t]{0,8}$`, 'im');
const alone = new RegExp(`^(${ref})$`);

/** What our export writes below a body, so that tasks find each other again when GitHub has given them numbers. */
const mark = /^<!-- cleo (T\d+)(?: parent (T\d+))?(?: depends (T\d+(?:,T\d+)*))? -->$/gm;

/** The last, which is ours: the text above it may hold anything. */
const markIn = (body: string): RegExpExecArray | undefined => [...body.matchAll(mark)].at(-1);

export function marked(body: string): { id: string; parent?: string; depends: string[] } | undefined {
  const [, id, parent, depends] = markIn(body) ?? [];
  return id ? { id, ...(parent ? { parent } : {}), depends: depends?.split(',') ?? [] } : undefined;
}

export const headings = { criteria: '## Acceptance criteria', blocked: '## Blocked', files: '## Files' };

export const markOf = (id: string, parent: string | undefined, depends: string[]): string =>
  `<!-- cleo ${id}${parent ? ` parent ${parent}` : ''}${depends.length > 0 ? ` depends ${depends.join(',')}` : ''} -->`;

/** The text of an issue: items of task lists are criteria, the rest is the description. */
export function bodyOf(body: string, repository: string, isBlocked: boolean): Body {
  const idOf = (one: string): string => {
    const [, other, number] = /(?:([\w.-]{1,100}\/[\w.-]{1,100})(?:\/issues\/|#)|#)(\d+)$/.exec(one) ?? [];
    return `${repository && (other ?? repository)}#${number}`;
  };
  const found: Body = { description: '', acceptance: [], blockedBy: '', files: [], depends: [], children: [] };
  const prose: string[] = [];
  let fence = '';
  const own = markIn(body);
  const lines = (own ? body.slice(0, own.index) + body.slice(own.index + own[0].length) : body).split('\n');
  const kept = lines.filter((line) => {
    const sign = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3) ?? '';
    if (fence ? sign === fence : sign) fence = fence ? '' : sign;
    if (fence || sign) return true;
    const [, box, text] = /^\s*(?:[-*+]|\d+[.)]) \[([ xX])\]\s+(\S.*)$/.exec(line) ?? [];
    if (text === undefined) {
      prose.push(line);
      return true;
    }
    const child = alone.exec(text.trim())?.[1];
    if (child) found.children.push(idOf(child));
    else found.acceptance.push({ text: text.trim(), met: box !== ' ' });
    return false;
  });
  const said = prose.join('\n');
  found.depends = [...said.matchAll(needs)].flatMap(([, list]) => [...list!.matchAll(new RegExp(ref, 'g'))].map(([one]) => idOf(one)));
  const parent = within.exec(said)?.[1];
  const rest = withoutEmptyHeadings(kept);
  if (own) {
    const pathOf = (line: string): string | undefined => /^- `(.+)`$/.exec(line)?.[1];
    if (isBlocked)
      found.blockedBy = taken(rest, headings.blocked, () => true)
        .join('\n')
        .trim();
    found.files = taken(rest, headings.files, (line) => line.trim() === '' || pathOf(line) !== undefined).flatMap(
      (line) => pathOf(line) ?? [],
    );
  }
  const text = rest.join('\n').trim();
  // Lines that went elsewhere leave gaps.
  found.description = rest.length < body.split('\n').length ? text.replace(/\n{3,}/g, '\n\n') : text;
  return { ...found, ...(parent ? { parent: idOf(parent) } : {}) };
}

/** A heading above nothing but criteria has nothing below it any more. */
function withoutEmptyHeadings(lines: string[]): string[] {
  return lines.filter((line, i) => {
    const level = /^(#{1,6}) /.exec(line)?.[1]?.length;
    if (level === undefined || !/criteria|tasks?\b|to ?do|done|checklist/i.test(line)) return true;
    let at = i + 1;
    while (lines[at]?.trim() === '') at += 1;
    const next = lines[at];
    return next !== undefined && (/^(#{1,6}) /.exec(next)?.[1]?.length ?? 7) > level;
  });
}

/** The lines of the last section of that name, if all are as we write them; they leave the others. */
function taken(lines: string[], heading: string, isOurs: (line: string) => boolean): string[] {
  const at = lines.lastIndexOf(heading);
  if (at < 0) return [];
  let end = at + 1;
  while (end < lines.length && !/^## /.test(lines[end]!)) end += 1;
  return lines.slice(at + 1, end).every(isOurs) ? lines.splice(at, end - at).slice(1) : [];
}
