import type { TaskId } from '#core/model/scalars.ts';
import type { Stamp } from '../../port/store.ts';
import { listRows } from '../list-rows.ts';
import { type Db, splitChunks, sql } from '../sql.ts';

interface HistoryRow {
  taskId: TaskId;
  field: string;
  old?: unknown;
  new?: unknown;
  reason?: string | undefined;
}

/** Adds rows to the history of tasks in one transaction. Only this writer adds them, so that the log can tell its last row. */
export interface HistoryWriter {
  add(rows: HistoryRow[]): Promise<void>;
  /** Counts the rows that this transaction has added. */
  countAdded(): number;
}

export function createHistoryWriter(db: Db, stamp: Stamp): HistoryWriter {
  let added = 0;
  return {
    async add(rows) {
      added += rows.length;
      for (const some of splitChunks(rows, 100))
        await db.run(sql`
          insert into task_history (task_id, at, by_agent, field, old_value, new_value, reason)
          values ${listRows(some.map((e) => [e.taskId, stamp.at, stamp.by, e.field, toJson(e.old), toJson(e.new), e.reason]))}`);
    },
    countAdded: () => added,
  };
}

export const toJson = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
