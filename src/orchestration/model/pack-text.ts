import type { Pack, PackCriterion } from './pack.ts';

/** A pack as it stands in a prompt: a line for each thing, so that nothing that somebody wrote looks like a part of it. */
export function packText(pack: Pack): string {
  const { task } = pack;
  const about = [
    task.type,
    task.status,
    task.priority,
    task.size,
    task.phase && `phase ${task.phase}`,
    task.holder && `held by ${task.holder}`,
  ];
  return [
    `# ${task.id} ${line(task.title)}`,
    about.filter(Boolean).map(String).map(line).join(', '),
    ...(task.labels ? [`Labels: ${task.labels.map(line).join(', ')}`] : []),
    ...(task.description === undefined ? [] : ['', ...linesOf(task.description)]),
    ...part('Acceptance criteria', pack.acceptance, criterion),
    ...part('Blocked by', pack.blockers, (one) => ('reason' in one ? line(one.reason) : kin(one))),
    ...part('Part of', pack.parents, kin),
    ...part('Builds on', pack.depends, kin),
    ...part('Needed by', pack.dependents, kin),
    ...part('Files', task.files, line),
    ...part('Documents', pack.docs, ({ slug, kind, title }) => `${slug} (${kind}) ${line(title)}`),
    ...part('Known already', pack.research, ({ id, title, status, findings = [] }) =>
      [`${line(id)} (${status}) ${line(title)}`, ...findings.map((finding) => `  - ${line(finding)}`)].join('\n'),
    ),
    ...part('Decisions', pack.decisions, ({ id, title, state, supersededBy }) => `${id} (${standing(state, supersededBy)}) ${line(title)}`),
    ...part('Remembered', pack.memory, ({ id, type, title, supersededBy }) => `${id} (${standing(type, supersededBy)}) ${line(title)}`),
    ...part('Notes, the newest first', pack.notes, ({ at, by, text }) => `${day(at)} ${line(by)}: ${line(text)}`),
    ...part('History, the newest first', pack.history, (change) => `${day(change.at)} ${line(change.by)}: ${changed(change)}`),
  ].join('\n');
}

/** What was left out, and the commands that show it. */
export const omittedText = (omitted: { section: string; count: number; expand: string }[]): string =>
  omitted.length === 0
    ? ''
    : ['', '## Left out', ...omitted.map(({ section, count, expand }) => `- ${count} ${section}: ${expand}`)].join('\n');

const part = <T>(title: string, items: T[] | undefined, text: (item: T) => string): string[] =>
  items?.length ? ['', `## ${title}`, ...items.map((item) => `- ${text(item)}`)] : [];

const kin = ({ id, status, title }: { id: string; status: string; title: string }): string => `${id} (${status}) ${line(title)}`;
const standing = (state: string, supersededBy: string | undefined): string =>
  supersededBy === undefined ? state : `superseded by ${supersededBy}`;
const day = (at: string): string => line(at.slice(0, 10));

function criterion({ n, text, gate, target, met }: PackCriterion): string {
  const mark = met === true ? 'x' : ' ';
  const what = text !== undefined ? line(text) : gate ? `evidence for ${gate}` : target ? `${target} is done` : '';
  return `[${mark}] ${n}.${what && ` ${what}`}${typeof met === 'number' ? ` ${met} of them are met` : ''}`;
}

function changed({ field, old, new: now, reason }: NonNullable<Pack['history']>[number]): string {
  const values = [old, now].map((value) =>
    value === undefined ? 'nothing' : line(typeof value === 'string' ? value : JSON.stringify(value)),
  );
  const what = old === undefined && now === undefined ? '' : old === undefined ? ` ${values[1]}` : ` ${values[0]} → ${values[1]}`;
  return `${line(field)}${what}${reason === undefined ? '' : ` (${line(reason)})`}`;
}

// What a terminal would obey, or what reorders or hides text: a mark stands for it.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const line = (text: string): string => text.replace(/\s+/g, ' ').replace(unseen, '\ufffd').trim();
const linesOf = (text: string): string[] =>
  text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((each) => `  ${each.trimEnd().replace(unseen, '\ufffd')}`.trimEnd());
