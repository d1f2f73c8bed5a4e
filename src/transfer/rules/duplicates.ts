import type { ForeignTask, ImportLoss } from '../model/foreign.ts';

type Identity = Pick<ForeignTask, 'id' | 'title' | 'updatedAt' | 'container'>;

/** A record that was read. Its title is a hash, because a large file has tens of thousands of them. */
interface Seen extends Pick<Identity, 'updatedAt' | 'container'> {
  title: number;
  index: number;
  content: number;
}

/** The decision about a task of a file: its id, and its place in the list of tasks. Without an index it is left out. */
export interface Resolved {
  id: string;
  index?: number;
}

/** Decides about records with the same id, each with a hash of its content. Equal copies count once. Versions of one record, as a merge in git leaves them, are resolved
 *  by `updatedAt`: the latest wins, the last one in the file if the times are equal. Different tasks under one id, as in an archive or
 *  in two lists, get ids of their own. */
export function createDuplicateResolver(losses: ImportLoss[]): (task: Identity, content: number) => Resolved {
  const byId = new Map<string, Seen>();
  const copies = new Map<string, number>();
  let count = 0;
  const reportId = (id: string, why: string): unknown => losses.push({ id, field: 'id', why, isProblem: true });
  const add = (id: string, { title, updatedAt, container }: Identity, content: number): Resolved => {
    const index = count++;
    byId.set(id, { title: hashTitle(title), index, content, ...(updatedAt ? { updatedAt } : {}), ...(container ? { container } : {}) });
    return { id, index };
  };
  const chooseVersion = (id: string, other: Seen, task: Identity, content: number): Resolved => {
    const { index } = other;
    const isLive = task.container === undefined || task.container === other.container;
    const [time, otherTime] = [task.updatedAt ?? '', other.updatedAt ?? ''];
    const wins = time > otherTime || (time === otherTime && isLive);
    const at = (wins ? task : other).updatedAt;
    reportId(task.id, `occurs more than once; ${at ? `the version of ${at}` : wins ? 'the last one' : 'the first one'} is imported`);
    if (!wins) return { id };
    byId.set(id, { ...other, title: hashTitle(task.title), content, ...(task.updatedAt ? { updatedAt: task.updatedAt } : {}) });
    return { id, index };
  };
  return (task, content) => {
    const suffix = task.container ? `@${task.container}` : '';
    for (const id of [task.id, `${task.id}${suffix}`, `${task.id}${suffix}~2`]) {
      const other = byId.get(id);
      if (other?.content === content) return { id };
      if (other && isSameWork(other, task)) return chooseVersion(id, other, task, content);
      if (!other) {
        if (id !== task.id) reportId(task.id, `two different tasks have this id; the second is imported as ${id}`);
        return add(id, task, content);
      }
    }
    const copy = (copies.get(task.id) ?? 2) + 1;
    copies.set(task.id, copy);
    const id = `${task.id}${suffix}~${copy}`;
    reportId(task.id, `several different tasks have this id; one of them is imported as ${id}`);
    return add(id, task, content);
  };
}

/** The same title, or times of change in the same list, mean two versions of one task. */
function isSameWork(seen: Seen, task: Identity): boolean {
  if (seen.title === hashTitle(task.title)) return true;
  return seen.container === task.container && seen.updatedAt !== undefined && task.updatedAt !== undefined;
}

const hashTitle = (title: string): number => hashContent(title.trim().toLowerCase());

/** A 32-bit hash; a collision would need two different records with the same id. */
export function hashContent(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
