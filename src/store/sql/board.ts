import type { TaskId } from '#core/model/scalars.ts';
import type { BoardTask } from '#tasks/model/board.ts';
import { asLines, codeLength, kindCode, kindOf } from './open-graph.ts';
import { type Db, raw, sql } from './sql.ts';
import { below } from './subtree.ts';

/** Ten thousand rows cost more to be handed over than to be found, so they come as one text. A title is one line. */
export async function onBoard(db: Db, root: TaskId | undefined): Promise<BoardTask[]> {
  const lines = await asLines(
    db,
    sql`${kindCode} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || coalesce(t.completed_at, '') || ' ' || t.title`,
    root === undefined
      ? sql`tasks t where t.archived_at is null`
      : sql`below cross join tasks t where t.id = below.id and t.archived_at is null`,
    root === undefined ? raw('') : below(root),
  );
  return lines.map(toBoardTask);
}

function toBoardTask(line: string): BoardTask {
  const afterId = line.indexOf(' ', codeLength);
  const afterParent = line.indexOf(' ', afterId + 1);
  const afterTime = line.indexOf(' ', afterParent + 1);
  const { type, status, priority } = kindOf(line.slice(0, codeLength));
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
