import type { TaskId } from '#core/model/scalars.ts';
import { addToList, defined } from '#lib/collections.ts';
import type { BoardDetails, BoardTask } from '#tasks/model/board.ts';
import { type Db, raw, sql } from '../sql.ts';
import { codeLength, isNotCancelled, parseTaskCode, selectLines, splitLine, taskCode } from './open-graph.ts';
import { withSubtree } from './subtree.ts';

/** Reads all rows as one text: transferring ten thousand rows one by one takes longer than finding them. A title has no
 *  line breaks. */
export async function listForBoard(db: Db, root: TaskId | undefined): Promise<BoardTask[]> {
  const lines = await selectLines(
    db,
    sql`${taskCode} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || coalesce(t.completed_at, '') || ' ' || t.title`,
    root === undefined
      ? sql`tasks t where t.archived_at is null and ${isNotCancelled}`
      : sql`below cross join tasks t where t.id = below.id and t.archived_at is null and ${isNotCancelled}`,
    root === undefined ? raw('') : withSubtree(root),
  );
  return lines.map(toBoardTask);
}

function toBoardTask(line: string): BoardTask {
  const afterId = line.indexOf(' ', codeLength);
  const afterParent = line.indexOf(' ', afterId + 1);
  const afterTime = line.indexOf(' ', afterParent + 1);
  const { type, status, priority } = parseTaskCode(line.slice(0, codeLength));
  return {
    id: line.slice(codeLength, afterId),
    type,
    status,
    priority,
    title: line.slice(afterTime + 1),
    parentId: line.slice(afterId + 1, afterParent) || undefined,
    completedAt: line.slice(afterParent + 1, afterTime) || undefined,
  };
}

/** Reads the details of all tasks as four texts. A label and a name have no line breaks. */
export async function getBoardDetails(db: Db): Promise<Map<TaskId, BoardDetails>> {
  const labels = new Map<TaskId, string[]>();
  const depends = new Map<TaskId, TaskId[]>();
  const labelled = await selectLines(db, sql`l.task_id || ' ' || l.label`, sql`(select * from task_labels order by task_id, position) l`);
  for (const [id, label] of labelled.map(splitLine)) addToList(labels, id, label);
  const linked = await selectLines(
    db,
    sql`d.task_id || ' ' || d.depends_on`,
    sql`(select * from task_dependencies order by task_id, position) d`,
  );
  for (const [id, on] of linked.map(splitLine)) addToList(depends, id, on);
  const assignees = new Map(
    (await selectLines(db, sql`t.id || ' ' || t.assignee`, sql`tasks t where t.assignee is not null`)).map(splitLine),
  );
  const dueDays = new Map((await selectLines(db, sql`t.id || ' ' || t.due`, sql`tasks t where t.due is not null`)).map(splitLine));
  const ids = new Set([...labels.keys(), ...depends.keys(), ...assignees.keys(), ...dueDays.keys()]);
  return new Map(
    [...ids].map((id) => [
      id,
      defined({ labels: labels.get(id), depends: depends.get(id), assignee: assignees.get(id), due: dueDays.get(id) }),
    ]),
  );
}
