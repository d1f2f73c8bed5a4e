import type { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';

type ReleasedTask = Pick<TaskRecord, 'id' | 'type' | 'title' | 'labels' | 'parentId'>;

/** The kinds of changes in the order of the sections, with the labels and the first words of a title that they are detected by. */
const changes: { kind: string; labels: string[]; words: string[] }[] = [
  {
    kind: 'Added',
    labels: ['feature', 'feat', 'enhancement'],
    words: ['add', 'create', 'write', 'implement', 'introduce', 'build', 'support'],
  },
  { kind: 'Changed', labels: ['refactor', 'chore', 'docs', 'perf'], words: [] },
  { kind: 'Deprecated', labels: ['deprecated', 'deprecation'], words: ['deprecate'] },
  { kind: 'Removed', labels: ['removed', 'removal'], words: ['remove', 'delete', 'drop'] },
  { kind: 'Fixed', labels: ['bug', 'bugfix', 'fix', 'regression'], words: ['fix', 'correct', 'repair'] },
  { kind: 'Security', labels: ['security', 'vulnerability'], words: [] },
];

/** Formats the changelog entries of a release, grouped by kind. A subtask is listed only without its task, and an epic or saga only
 *  without any of its tasks. The kind comes from a label, else from the first word of the title, else it is `Changed`. */
export function formatChangelogEntries(tasks: ReleasedTask[]): string {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const containersWithTasks = new Set<TaskId>();
  for (const task of tasks)
    for (let id = task.parentId; id !== undefined && !containersWithTasks.has(id); id = byId.get(id)?.parentId)
      if (byId.get(id)?.type !== 'task') containersWithTasks.add(id);
  const listed = tasks.filter(
    ({ id, type, parentId }) => type === 'task' || (type === 'subtask' ? !byId.has(parentId ?? '') : !containersWithTasks.has(id)),
  );
  const sections = changes.flatMap(({ kind }) => {
    const lines = listed.filter((task) => detectKind(task) === kind).map(({ title, id }) => `- ${title} (${id})`);
    return lines.length ? [`### ${kind}\n${lines.join('\n')}`] : [];
  });
  return sections.join('\n\n');
}

function detectKind({ labels, title }: ReleasedTask): string {
  const word = /^[a-z]+/i.exec(title)?.[0].toLowerCase() ?? '';
  const byLabel = labels.flatMap((label) => changes.find((change) => change.labels.includes(label)) ?? []);
  return (byLabel[0] ?? changes.find(({ words }) => words.includes(word)))?.kind ?? 'Changed';
}

/** Formats a whole section; without a `day` it is unreleased. */
export function formatChangelogSection(plain: string, day: string | undefined, entries: string): string {
  return `## [${plain}] - ${day ?? 'unreleased'}\n${entries ? `\n${entries}\n` : ''}`;
}

const emptyChangelog = `# Changelog

The format is based on [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).
`;

/** Inserts the section before the newest release and after the unreleased changes, and keeps every other byte. Returns undefined if the
 *  file already has a section for this version, which may have been written by hand. */
export function insertSection(file: string | undefined, plain: string, section: string): string | undefined {
  const text = file ?? emptyChangelog;
  const heads = findHeadings(text);
  if (heads.some(({ title }) => parseHeadingVersion(title) === plain)) return undefined;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const at = heads.find(({ title }) => !/^\[?unreleased\]?/i.test(title))?.at ?? findEnd(text);
  const before = text.slice(0, at);
  const after = text.slice(at);
  const gap = before === '' || before.endsWith(eol + eol) ? '' : before.endsWith('\n') ? eol : eol + eol;
  return `${before}${gap}${section.replaceAll('\n', eol)}${after === '' ? '' : eol}${after}`;
}

/** Finds headings of the second level outside of fenced code blocks. */
function findHeadings(text: string): { title: string; at: number }[] {
  const found: { title: string; at: number }[] = [];
  let fence: string | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    else if (fence !== undefined && mark === undefined) {
      at += line.length + 1;
      continue;
    }
    const title = fence === undefined && mark === undefined ? /^##[ \t]+(.+?)[ \t\r]*$/.exec(line)?.[1] : undefined;
    if (title !== undefined) found.push({ title, at });
    at += line.length + 1;
  }
  return found;
}

const parseHeadingVersion = (title: string): string | undefined => /^\[?v?(\d[^\]\s]*)\]?/.exec(title)?.[1];

/** Returns the position before the link definitions at the end of the file. */
function findEnd(text: string): number {
  const links = /(?:^|\n)((?:\[[^\]\n]+\]:[^\n]*(?:\r?\n|$))+)\s*$/.exec(text);
  return links ? links.index + (links[0].startsWith('\n') ? 1 : 0) : text.length;
}
