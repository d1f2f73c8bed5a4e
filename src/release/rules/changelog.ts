import type { TaskId, TaskType } from '#core/model/scalars.ts';

interface Done {
  id: TaskId;
  type: TaskType;
  title: string;
  labels: string[];
  parentId?: TaskId;
}

type Kind = 'Added' | 'Changed' | 'Deprecated' | 'Removed' | 'Fixed' | 'Security';

const kinds: Kind[] = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const byLabel: Record<string, Kind> = {
  security: 'Security',
  vulnerability: 'Security',
  bug: 'Fixed',
  bugfix: 'Fixed',
  fix: 'Fixed',
  regression: 'Fixed',
  deprecated: 'Deprecated',
  deprecation: 'Deprecated',
  removed: 'Removed',
  removal: 'Removed',
  feature: 'Added',
  feat: 'Added',
  enhancement: 'Added',
  refactor: 'Changed',
  chore: 'Changed',
  docs: 'Changed',
  perf: 'Changed',
};
const byWord: Record<string, Kind> = {
  add: 'Added',
  create: 'Added',
  write: 'Added',
  implement: 'Added',
  introduce: 'Added',
  build: 'Added',
  support: 'Added',
  fix: 'Fixed',
  correct: 'Fixed',
  repair: 'Fixed',
  remove: 'Removed',
  delete: 'Removed',
  drop: 'Removed',
  deprecate: 'Deprecated',
};

/** The entries of a release, by kind: of a task and what is inside it the task; of a container only itself, where nothing inside it is listed.
 *  A label tells the kind, else the first word of the title, else it is a change. */
export function changelogEntries(tasks: Done[]): string {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const full = new Set<TaskId>();
  for (const task of tasks)
    for (let up = task.parentId; up !== undefined && !full.has(up); up = byId.get(up)?.parentId)
      if (byId.get(up)?.type !== 'task') full.add(up);
  const listed = tasks.filter(({ id, type, parentId }) =>
    type === 'task' ? true : type === 'subtask' ? !byId.has(parentId ?? '') : !full.has(id),
  );
  const sections = kinds.flatMap((kind) => {
    const lines = listed.filter((task) => kindOf(task) === kind).map(({ title, id }) => `- ${title} (${id})`);
    return lines.length ? [`### ${kind}\n${lines.join('\n')}`] : [];
  });
  return sections.join('\n\n');
}

function kindOf({ labels, title }: Done): Kind {
  const label = labels.find((each) => Object.hasOwn(byLabel, each));
  const word = /^[a-z]+/i.exec(title)?.[0].toLowerCase() ?? '';
  return label ? byLabel[label]! : Object.hasOwn(byWord, word) ? byWord[word]! : 'Changed';
}

/** A whole section; `day` is undefined before it is out. */
export function changelogSection(plain: string, day: string | undefined, entries: string): string {
  return `## [${plain}] - ${day ?? 'unreleased'}\n${entries ? `\n${entries}\n` : ''}`;
}

const fresh = `# Changelog

The form is that of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).
`;

/** The file with the section in it, before the newest release and behind what is not released yet; every other byte stays.
 *  A section of that version that is there already is somebody's work and stays as it is: undefined. */
export function withSection(file: string | undefined, plain: string, section: string): string | undefined {
  const text = file ?? fresh;
  const heads = headings(text);
  if (heads.some(({ title }) => versionIn(title) === plain)) return undefined;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const at = heads.find(({ title }) => !/^\[?unreleased\]?/i.test(title))?.at ?? endOf(text);
  const before = text.slice(0, at);
  const after = text.slice(at);
  const gap = before === '' || before.endsWith(eol + eol) ? '' : before.endsWith('\n') ? eol : eol + eol;
  return `${before}${gap}${section.replaceAll('\n', eol)}${after === '' ? '' : eol}${after}`;
}

/** Headings of the second level, with where they begin; not those inside a fenced block. */
function headings(text: string): { title: string; at: number }[] {
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

const versionIn = (title: string): string | undefined => /^\[?v?(\d[^\]\s]*)\]?/.exec(title)?.[1];

/** Before the link definitions that close such a file. */
function endOf(text: string): number {
  const links = /(?:^|\n)((?:\[[^\]\n]+\]:[^\n]*(?:\r?\n|$))+)\s*$/.exec(text);
  return links ? links.index + (links[0].startsWith('\n') ? 1 : 0) : text.length;
}
