import { join } from 'node:path';
import { loadSqliteDriver } from '../../src/store/dialects/sqlite-driver.ts';
import { tamperSqlite } from '../../test/app.ts';
import type { ServedProject } from './served-project.ts';

export const script = '<script>window.hacked=1</script><img src=x onerror="window.hacked=2"><svg onload="window.hacked=3">';
const links =
  '[a](javascript:window.hacked=4) <a href="javascript:window.hacked=5">b</a> ![c](http://192.0.2.1/x.png) [d](data:text/html,x)';
const bidi = '\u202eRIGHT\u202c \u2066isolate\u2069 عربي';

/** One line of more than 10,000 characters. */
export const hostileLine = `${script} ${bidi} ${links} ${'v'.repeat(10_000)}`;
/** The same as Markdown, with lines and a table. */
export const hostileMarkdown = `${script}\n\n${links}\n\n${bidi}\n\n# ${script}\n\n- ${'y'.repeat(10_000)}\n\n| a | b |\n|-|-|\n| ${script} | ${'z'.repeat(900)} |\n\n\`\`\`html\n${script}\n\`\`\``;

/** Tables that no view reads, and contents that are checked against their digest: they are planted through an operation. */
const unseenTables = new Set([
  'doc_contents',
  ...[
    'counters',
    'audit_head',
    'audit_updates',
    'idempotency_keys',
    'jobs',
    'words',
    'tokens',
    'store_facts',
    'undo_images',
    'task_ranks',
    'shared_records',
  ],
  ...['plan_records', 'plan_files', 'import_records', 'imports', 'github_cache', 'workgraphs', 'conversations', 'task_baselines'],
]);
/** Columns whose values the store checks, or that other rows refer to: ids, times, hashes and enumerations. */
const checkedColumn =
  /^(id|uid|slug|version|(?!agent_).*_id|far_id|depends_on|related_to|superseded_by|scope_root|type|status|kind|encoding|.*_(type|kind|state|ids|at|hash|rowid|table|sha)|at|timestamp|due|gate|gateway|domain|operation|priority|size|stage|role|resolution|verdict|digest|hash|project|replica|process|signature|field)$/;
const markdownColumn = /^(description|content|note|changelog)$/;
/** Values inside of JSON that views use as names or times. */
const checkedKey =
  /^(id|.*Id|kind|status|state|stage|step|type|gate|verdict|at|.*At|since|until|via|taskId|sha256|commit|tree|tasks|scope)$/;

/** Replaces every text of every row that a view can show. Returns the tables that had no row to replace. */
export async function plantHostileTexts({ root }: ServedProject): Promise<string[]> {
  // The triggers that protect the log are dropped.
  await tamperSqlite(root, '');
  const database = new (loadSqliteDriver().DatabaseSync)(join(root, '.cleo', 'cleo.db'), { timeout: 5000 });
  database.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on; begin');
  const tables = database.prepare("select name from sqlite_master where type = 'table' and sql not like '%virtual%'").all();
  const empty: string[] = [];
  for (const { name } of tables as { name: string }[]) {
    if (unseenTables.has(name) || /^sqlite_|_search/.test(name)) continue;
    const columns = (database.prepare(`pragma table_info(${name})`).all() as { name: string; type: string }[])
      .filter((column) => column.type.toLowerCase() === 'text' && !checkedColumn.test(column.name))
      .map((column) => column.name);
    if (columns.length === 0) continue;
    let count = 0;
    for (const column of columns) {
      const values = database.prepare(`select distinct ${column} as value from ${name} where ${column} is not null`).all() as {
        value: string;
      }[];
      const update = database.prepare(`update ${name} set ${column} = ? where ${column} = ?`);
      for (const { value } of values) update.run(toHostile(value, markdownColumn.test(column) ? hostileMarkdown : hostileLine), value);
      count += values.length;
    }
    if (count === 0) empty.push(name);
  }
  database.exec('commit');
  database.close();
  return empty;
}

function toHostile(value: string, text: string): string {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' || typeof parsed === 'string' ? JSON.stringify(replaceTexts(parsed)) : text;
  } catch {
    return text;
  }
}

function replaceTexts(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return checkedKey.test(key) ? value : hostileLine;
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceTexts(each, name)]));
}
