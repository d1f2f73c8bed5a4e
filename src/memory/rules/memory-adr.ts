import { readFrontMatter } from '#lib/front-matter.ts';
import type { ConfirmationState, MemoryRecord } from '../model/memory.ts';
import { titleOf } from './memory-view.ts';

/** A decision as a file tells it. */
export interface ToldDecision {
  title: string;
  content: string;
  state: ConfirmationState;
  /** What took its place: a number, or the name of a file. */
  supersededBy?: string;
  /** Tasks that it says it belongs to. */
  tasks: string[];
}

/** The decisions in a file: the file itself where it is a decision record, else what an agent's output or ledger marks as decided.
 *  Empty where there is none. */
export function decisionsToldIn(name: string, text: string): ToldDecision[] {
  const clean = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (/\.jsonl?$/i.test(name)) return fromJson(clean);
  const record = recordIn(clean);
  return record ? [record] : fromOutput(clean);
}

/** The number of a decision record by its file name: `0012-tokens.md`, `adr-12.md`. */
export function recordNumber(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return /^(?:adr[-_ ]?)?0*(\d{1,9})(?!\d)/i.exec(base)?.[1];
}

/** Whether what a file says of its successor (`13`, `ADR-0013`, `0013-x.md`) means the file of this name. */
export function isMeant(reference: string, name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return (
    reference === base ||
    (!/\.md$/i.test(reference) && recordNumber(reference) !== undefined && recordNumber(reference) === recordNumber(base))
  );
}

interface Section {
  level: number;
  title: string;
  lines: string[];
}

/** Nygard's form, MADR and their relatives: a heading, and a status or what such a record is made of. */
function recordIn(text: string): ToldDecision | undefined {
  const front = readFrontMatter(text);
  const [fields, body] = 'problem' in front ? [{} as Record<string, unknown>, text] : [front.fields, front.body];
  const sections = sectionsOf(body);
  const head = sections.find(({ level }) => level === 1);
  const title = head?.title ?? (typeof fields.title === 'string' ? fields.title : undefined);
  if (!title) return undefined;
  const own = sections.find(({ level, title }) => level > 1 && /^status\b/i.test(title));
  const line = body.split('\n').find((each) => statusLine.test(each));
  const said = [fields.status, own?.lines.join('\n').trim(), line && statusLine.exec(line)?.[1]].find(
    (one): one is string => typeof one === 'string' && stateOf(one) !== undefined,
  );
  const has = (name: RegExp): boolean => sections.some(({ level, title }) => level > 1 && name.test(title));
  if (said === undefined && !(has(/^decision/i) && has(/^(context|consequences)/i))) return undefined;
  const content = sections
    .filter((section) => section !== own)
    .flatMap((section) => [
      ...(section.level === 0 || section === head ? [] : [heading(section)]),
      ...section.lines.filter((each) => each !== line),
    ])
    .join('\n')
    .trim();
  const { state, supersededBy } = stateOf(said ?? 'proposed')!;
  return {
    title: plainTitle(title),
    content: content || plainTitle(title),
    state,
    ...(supersededBy ? { supersededBy } : {}),
    tasks: tasksIn(body),
  };
}

const statusLine = /^\s*(?:[-*]\s+)?\**status\**\s*:\**\s*(\S.*)$/i;

/** The state that a status means; undefined where it is none of a decision, as `complete` is none. */
function stateOf(status: string): { state: ConfirmationState; supersededBy?: string } | undefined {
  const text = status.replace(/[*_~]+/g, '').trim();
  const next = /\b(?:superseded|replaced|superceded)\s+by\s*:?\s*(.+)/i.exec(text)?.[1];
  if (next) {
    const supersededBy =
      /\(([^)\s]*?([^/()\s]+\.md))(?:#[^)]*)?\)/i.exec(next)?.[2] ?? /[^\s[\]()]+\.md\b/i.exec(next)?.[0] ?? /\d+/.exec(next)?.[0];
    return { state: 'superseded', ...(supersededBy ? { supersededBy } : {}) };
  }
  const [, word = ''] = /^\W*([a-z]+)/i.exec(text) ?? [];
  const state = words[word.toLowerCase()];
  return state && { state };
}

const words: Record<string, ConfirmationState> = {
  accepted: 'accepted',
  approved: 'accepted',
  adopted: 'accepted',
  decided: 'accepted',
  implemented: 'accepted',
  proposed: 'proposed',
  draft: 'proposed',
  open: 'proposed',
  rejected: 'rejected',
  declined: 'rejected',
  deprecated: 'rejected',
  withdrawn: 'rejected',
  superseded: 'superseded',
  superceded: 'superseded',
};

/** What an agent wrote: each `Decision: …`, and each item (or else the whole) of what stands under a heading `Decisions`. */
function fromOutput(text: string): ToldDecision[] {
  const tasks = tasksIn(text);
  const told = sectionsOf(text).flatMap(({ level, title, lines }) => {
    if (level < 2 || !/^decisions?\b/i.test(title)) return lines.flatMap((line) => decisionLine.exec(line)?.[1] ?? []);
    const items = lines.join('\n').split(/^(?:[-*]|\d+[.)])\s+/m);
    return items.length > 1 ? items.slice(1) : items;
  });
  return told.flatMap((one) => toldIn(one.replace(decisionLine, '$1'), tasks));
}

const decisionLine = /^\s*(?:[-*]\s+)?\**decision\**\s*:\**\s*(\S.*)$/i;

/** Objects that call themselves decisions, or hold a list of them: one a line, or one file of them. */
function fromJson(text: string): ToldDecision[] {
  const whole = parsed(text);
  const items = whole === undefined ? text.split('\n').map(parsed) : [whole].flat();
  return items.flatMap((item) => {
    const { decisions } = fieldsOf(item);
    if (!Array.isArray(decisions)) return fromObject(fieldsOf(item));
    return decisions.flatMap((one) => (typeof one === 'string' ? toldIn(one, []) : fromObject({ ...fieldsOf(one), type: 'decision' })));
  });
}

const fieldsOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});

function fromObject(fields: Record<string, unknown>): ToldDecision[] {
  const isDecision = fields.type === 'decision' || fields.kind === 'decision';
  const texts = [fields.decision, ...(isDecision ? [fields.content, fields.text, fields.summary] : [])];
  const text = texts.find((one): one is string => typeof one === 'string');
  const why = [fields.rationale, fields.reason].find((one) => typeof one === 'string');
  const tasks = [fields.task, fields.taskId, fields.task_id].flatMap((id) => (typeof id === 'string' ? tasksIn(`Task: ${id}`) : []));
  const [told] = toldIn(text && why ? `${text}\n\n${why}` : (text ?? ''), tasks);
  if (!told) return [];
  const { state, supersededBy } = (typeof fields.status === 'string' && stateOf(fields.status)) || told;
  const title = typeof fields.title === 'string' && fields.title.trim() ? plainTitle(fields.title) : told.title;
  return [{ ...told, title, state, ...(supersededBy ? { supersededBy } : {}) }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toldIn = (text: string, tasks: string[]): ToldDecision[] => {
  const content = text.trim();
  return content === '' ? [] : [{ title: titleOf(content), content, state: 'proposed', tasks }];
};

/** `**Task**: T002` and `**Epic**: T001`, as our output files have them at the top. */
const tasksIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/^\s*(?:[-*]\s+)?\**(?:task|epic)\**\s*:\**\s*(T\d{1,15})\b/gim)].map((found) => found[1]!.toUpperCase())),
];

/** `12. Tokens` and `ADR-012: Tokens` are called `Tokens`. */
const plainTitle = (title: string): string =>
  title
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/^(?:adr[-_ ]?)?\d+\s*[.:\u2014\u2013-]\s*/i, '')
    .trim() || title.trim();

const heading = ({ level, title }: Section): string => `${'#'.repeat(level)} ${title}`;

/** A text by its headings; what stands before the first is a section of level 0. Those in code are text. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ level: 0, title: '', lines: [] }];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const [, hashes, title] = (fence === undefined && /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)) || [];
    if (hashes && title) sections.push({ level: hashes.length, title, lines: [] });
    else sections.at(-1)!.lines.push(line);
  }
  return sections;
}

/** A decision as a record for people, in the form that we read. */
export function adrOf(entry: MemoryRecord, supersedes: string[]): string {
  const { id, title, content, decidedBy, decidedAt, source, tasks } = entry;
  const isWhole = sectionsOf(content).some(({ level }) => level > 1);
  const facts = [
    `- Decision: ${id}${decidedBy && decidedAt ? `, accepted by ${decidedBy} on ${decidedAt.slice(0, 10)}` : ''}`,
    ...(supersedes.length > 0 ? [`- Supersedes: ${supersedes.join(', ')}`] : []),
    ...(tasks.length > 0 ? [`- Tasks: ${tasks.join(', ')}`] : []),
    ...(source ? [`- Source: ${source.table}:${source.rowid}`] : []),
  ];
  return [`# ${title}`, '', '## Status', 'Accepted', '', ...(isWhole ? [] : ['## Decision']), content, '', '## Record', ...facts, ''].join(
    '\n',
  );
}
