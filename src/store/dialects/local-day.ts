import { formatLocalDay } from '#lib/iso-time.ts';
import { loadSqliteDriver } from './sqlite-driver.ts';

/** Returns the date of a time in the time zone of this process. In Bun, the first local time loads the time zones of ICU, which takes a fifth
 *  of a start. SQLite asks the system. */
export function toLocalDay(at: string): string {
  if (!process.versions.bun) return formatLocalDay(at);
  const database = new (loadSqliteDriver().DatabaseSync)(':memory:', {});
  const [row] = database.prepare("select date(?, 'localtime') as day").all(at);
  database.close();
  return String(row?.day);
}
