import { escapeInvisible } from '#lib/invisible.ts';
import type { Pack, PackCriterion } from './pack.ts';

/** Formats a pack for a prompt. Each item is one line, so that user text cannot imitate the structure of the pack. */
export function formatPack(pack: Pack): string {
  const { task } = pack;
  const facts = [
    task.type,
    task.status,
    task.priority,
    task.size,
    task.phase && `phase ${task.phase}`,
    task.holder && `held by ${task.holder}`,
  ];
  return [
    `# ${task.id} ${toLine(task.title)}`,
    facts.filter(Boolean).map(String).map(toLine).join(', '),
    ...(task.labels ? [`Labels: ${task.labels.map(toLine).join(', ')}`] : []),
    ...(task.description === undefined ? [] : ['', ...indentLines(task.description)]),
    ...formatSection('Acceptance criteria', pack.acceptance, formatCriterion),
    ...formatSection('Blocked by', pack.blockers, (one) => ('reason' in one ? toLine(one.reason) : formatTaskRef(one))),
    ...formatSection('Part of', pack.parents, formatTaskRef),
    ...formatSection('Builds on', pack.depends, formatTaskRef),
    ...formatSection('Needed by', pack.dependents, formatTaskRef),
    ...formatSection('Files', task.files, toLine),
    ...formatSection('Documents', pack.docs, ({ slug, kind, title }) => `${slug} (${kind}) ${toLine(title)}`),
    ...formatSection('Research', pack.research, ({ id, title, status, findings = [] }) =>
      [`${toLine(id)} (${status}) ${toLine(title)}`, ...findings.map((finding) => `  - ${toLine(finding)}`)].join('\n'),
    ),
    ...formatSection(
      'Decisions',
      pack.decisions,
      ({ id, title, state, supersededBy }) => `${id} (${formatState(state, supersededBy)}) ${toLine(title)}`,
    ),
    ...formatSection(
      'Memory',
      pack.memory,
      ({ id, type, title, supersededBy }) => `${id} (${formatState(type, supersededBy)}) ${toLine(title)}`,
    ),
    ...formatSection('Notes, newest first', pack.notes, ({ at, by, text }) => `${formatDay(at)} ${toLine(by)}: ${toLine(text)}`),
    ...formatSection(
      'History, newest first',
      pack.history,
      (change) => `${formatDay(change.at)} ${toLine(change.by)}: ${formatChange(change)}`,
    ),
  ].join('\n');
}

/** Formats the omissions, with the commands that show the omitted items. */
export const formatOmissions = (omitted: { section: string; count: number; expand: string }[]): string =>
  omitted.length === 0
    ? ''
    : ['', '## Left out', ...omitted.map(({ section, count, expand }) => `- ${count} ${section}: ${expand}`)].join('\n');

const formatSection = <T>(title: string, items: T[] | undefined, format: (item: T) => string): string[] =>
  items?.length ? ['', `## ${title}`, ...items.map((item) => `- ${format(item)}`)] : [];

const formatTaskRef = ({ id, status, title }: { id: string; status: string; title: string }): string =>
  `${id} (${status}) ${toLine(title)}`;
const formatState = (state: string, supersededBy: string | undefined): string =>
  supersededBy === undefined ? state : `superseded by ${supersededBy}`;
const formatDay = (at: string): string => toLine(at.slice(0, 10));

function formatCriterion({ n, text, gate, target, met }: PackCriterion): string {
  const mark = met === true ? 'x' : ' ';
  const body = text !== undefined ? toLine(text) : gate ? `evidence for ${gate}` : target ? `${target} is done` : '';
  return `[${mark}] ${n}.${body && ` ${body}`}${typeof met === 'number' ? ` ${met} of them met` : ''}`;
}

function formatChange({ field, old, new: now, reason }: NonNullable<Pack['history']>[number]): string {
  const values = [old, now].map((value) =>
    value === undefined ? 'nothing' : toLine(typeof value === 'string' ? value : JSON.stringify(value)),
  );
  const body = old === undefined && now === undefined ? '' : old === undefined ? ` ${values[1]}` : ` ${values[0]} → ${values[1]}`;
  return `${toLine(field)}${body}${reason === undefined ? '' : ` (${toLine(reason)})`}`;
}

const toLine = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' ')).trim();
const indentLines = (text: string): string[] =>
  text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => `  ${escapeInvisible(line.trimEnd())}`.trimEnd());
