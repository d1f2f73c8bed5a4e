import type { TaskId } from '#core/model/scalars.ts';
import type { BoardTask } from '#tasks/model/board.ts';
import { type Db, raw, sql } from '../sql.ts';
import { codeLength, isNotCancelled, parseTaskCode, selectLines, taskCode } from './open-graph.ts';
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
