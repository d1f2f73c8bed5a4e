import { defined } from '#lib/collections.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import { parseFrontMatter } from '#lib/yaml/front-matter.ts';
import type { ConfirmationState, MemoryRecord } from '../model/memory.ts';
import { deriveTitle } from './memory-view.ts';

/** A decision parsed from a file. */
export interface ParsedDecision {
  title: string;
  content: string;
  state: ConfirmationState;
  /** Reference to the successor: a number or a file name. */
  supersededBy?: string | undefined;
  /** Tasks that the file names for the decision. */
  tasks: string[];
}

/** Parses the decisions of a file: one for a decision record, otherwise those that an agent's output or ledger marks as decisions. */
export function parseDecisions(name: string, text: string): ParsedDecision[] {
  const clean = stripBom(text).replace(/\r\n?/g, '\n');
  if (/\.jsonl?$/i.test(name)) return parseJsonDecisions(clean);
  const record = parseRecord(clean);
  return record ? [record] : parseOutputDecisions(clean);
}

/** Parses the number of a decision record from its file name: `0012-tokens.md`, `adr-12.md`. */
export function parseRecordNumber(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return /^(?:adr[-_ ]?)?0*(\d{1,9})(?!\d)/i.exec(base)?.[1];
}

/** True if a reference such as `13`, `ADR-0013` or `0013-x.md` names this file. */
export function isReferenceTo(reference: string, name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return (
    reference === base ||
    (!/\.md$/i.test(reference) && parseRecordNumber(reference) !== undefined && parseRecordNumber(reference) === parseRecordNumber(base))
  );
}

interface MarkdownSection {
  level: number;
  title: string;
  lines: string[];
}

/** Parses a decision record in the format of Nygard or MADR: a title with a status, or with the usual sections. */
function parseRecord(text: string): ParsedDecision | undefined {
  const front = parseFrontMatter(text);
  const [fields, body] = 'problem' in front ? [{} as Record<string, unknown>, text] : [front.fields, front.body];
  const sections = parseSections(body);
  const head = sections.find(({ level }) => level === 1);
  const title = head?.title ?? (typeof fields.title === 'string' ? fields.title : undefined);
  if (!title) return undefined;
  const statusSection = sections.find(({ level, title }) => level > 1 && /^status\b/i.test(title));
  const statusText = body.split('\n').find((each) => statusPattern.test(each));
  const status = [fields.status, statusSection?.lines.join('\n').trim(), statusText && statusPattern.exec(statusText)?.[1]].find(
    (one): one is string => typeof one === 'string' && parseStatus(one) !== undefined,
  );
  const hasSection = (name: RegExp): boolean => sections.some(({ level, title }) => level > 1 && name.test(title));
  if (status === undefined && !(hasSection(/^decision/i) && hasSection(/^(context|consequences)/i))) return undefined;
  const content = sections
    .filter((section) => section !== statusSection)
    .flatMap((section) => [
      ...(section.level === 0 || section === head ? [] : [formatHeading(section)]),
      ...section.lines.filter((each) => each !== statusText),
    ])
    .join('\n')
    .trim();
  const { state, supersededBy } = parseStatus(status ?? 'proposed')!;
  return {
    title: cleanTitle(title),
    content: content || cleanTitle(title),
    state,
    ...defined({ supersededBy }),
    tasks: findTaskIds(body),
  };
}

const statusPattern = /^\s*(?:[-*]\s+)?\**status\**\s*:\**\s*(\S.*)$/i;

/** Maps a status text to a state; undefined if it is not a status of decisions, such as `complete`. */
function parseStatus(status: string): { state: ConfirmationState; supersededBy?: string } | undefined {
  const text = status
    .slice(0, maxStatusLength)
    .replace(/[*_~]+/g, '')
    .trim();
  const successor = /\b(?:superseded|replaced|superceded)\s+by\s*:?\s*(.+)/i.exec(text)?.[1];
  if (successor) {
    const supersededBy =
      /\(([^)\s]*?([^/()\s]+\.md))(?:#[^)]*)?\)/i.exec(successor)?.[2] ??
      /[^\s[\]()]+\.md\b/i.exec(successor)?.[0] ??
      /\d+/.exec(successor)?.[0];
    return { state: 'superseded', ...defined({ supersededBy }) };
  }
  const [, word = ''] = /^\W*([a-z]+)/i.exec(text) ?? [];
  const state = stateByWord[word.toLowerCase()];
  return state && { state };
}

const maxStatusLength = 500;

const stateByWord: Record<string, ConfirmationState> = {
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

/** Parses an agent's output: each `Decision: …` line, and each list item (or the whole text) below a heading `Decisions`. */
function parseOutputDecisions(text: string): ParsedDecision[] {
  const tasks = findTaskIds(text);
  const texts = parseSections(text).flatMap(({ level, title, lines }) => {
    if (level < 2 || !/^decisions?\b/i.test(title)) return lines.flatMap((line) => decisionPattern.exec(line)?.[1] ?? []);
    const items = lines.join('\n').split(/^(?:[-*]|\d+[.)])\s+/m);
    return items.length > 1 ? items.slice(1) : items;
  });
  return texts.flatMap((one) => createDecisions(one.replace(decisionPattern, '$1'), tasks));
}

const decisionPattern = /^\s*(?:[-*]\s+)?\**decision\**\s*:\**\s*(\S.*)$/i;

/** Parses JSON or JSON Lines: objects marked as decisions, or with a list of decisions. */
function parseJsonDecisions(text: string): ParsedDecision[] {
  const document = parseJson(text);
  const items = document === undefined ? text.split('\n').map(parseJson) : [document].flat();
  return items.flatMap((item) => {
    const { decisions } = toFields(item);
    if (!Array.isArray(decisions)) return toDecisions(toFields(item));
    return decisions.flatMap((one) =>
      typeof one === 'string' ? createDecisions(one, []) : toDecisions({ ...toFields(one), type: 'decision' }),
    );
  });
}

const toFields = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});

function toDecisions(fields: Record<string, unknown>): ParsedDecision[] {
  const isDecision = fields.type === 'decision' || fields.kind === 'decision';
  const texts = [fields.decision, ...(isDecision ? [fields.content, fields.text, fields.summary] : [])];
  const text = texts.find((one): one is string => typeof one === 'string');
  const rationale = [fields.rationale, fields.reason].find((one) => typeof one === 'string');
  const tasks = [fields.task, fields.taskId, fields.task_id].flatMap((id) => (typeof id === 'string' ? findTaskIds(`Task: ${id}`) : []));
  const [decision] = createDecisions(text && rationale ? `${text}\n\n${rationale}` : (text ?? ''), tasks);
  if (!decision) return [];
  const { state, supersededBy } = (typeof fields.status === 'string' && parseStatus(fields.status)) || decision;
  const title = typeof fields.title === 'string' && fields.title.trim() ? cleanTitle(fields.title) : decision.title;
  return [{ ...decision, title, state, ...defined({ supersededBy }) }];
}

const createDecisions = (text: string, tasks: string[]): ParsedDecision[] => {
  const content = text.trim();
  return content === '' ? [] : [{ title: deriveTitle(content), content, state: 'proposed', tasks }];
};

/** Finds task ids in header lines such as `**Task**: T002` and `**Epic**: T001`. */
const findTaskIds = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/^[ \t]*(?:[-*][ \t]+)?\**(?:task|epic)\**\s*:\**\s*(T\d{1,15})\b/gim)].map((found) => found[1]!.toUpperCase()),
  ),
];

/** Removes the number of a record: `12. Tokens` and `ADR-012: Tokens` become `Tokens`. */
const cleanTitle = (title: string): string =>
  title
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/^(?:adr[-_ ]?)?\d+\s*[.:\u2014\u2013-]\s*/i, '')
    .trim() || title.trim();

const maxHeadingLength = 300;

const formatHeading = ({ level, title }: MarkdownSection): string => `${'#'.repeat(level)} ${title}`;

/** Splits a Markdown text at its headings. Text before the first heading has level 0; headings in code blocks are ignored. */
function parseSections(text: string): MarkdownSection[] {
  const sections: MarkdownSection[] = [{ level: 0, title: '', lines: [] }];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const [, hashes, title] = (fence === undefined && /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line.slice(0, maxHeadingLength))) || [];
    if (hashes && title) sections.push({ level: hashes.length, title, lines: [] });
    else sections.at(-1)!.lines.push(line);
  }
  return sections;
}

/** Formats a decision as a decision record that `parseDecisions` can read. */
export function formatAdr(entry: MemoryRecord, supersedes: string[]): string {
  const { id, title, content, decidedBy, decidedAt, source, tasks } = entry;
  const isWhole = parseSections(content).some(({ level }) => level > 1);
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
