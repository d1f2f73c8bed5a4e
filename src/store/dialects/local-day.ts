import { formatLocalDay } from '#lib/iso-time.ts';
import { getOpenDatabase } from './sqlite-bun.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

/** Returns the date of a time in the time zone of this process. In Bun, the first local time loads the time zones of ICU, which takes a fifth
 *  of a start. SQLite asks the system. */
export function toLocalDay(at: string): string {
  if (!process.versions.bun) return formatLocalDay(at);
  const opened = getOpenDatabase();
  if (opened) return readLocalDay(opened, at);
  const database = new (loadSqliteDriver().DatabaseSync)(':memory:', {});
  try {
    return readLocalDay(database, at);
  } finally {
    database.close();
  }
}

const readLocalDay = (database: SqliteDatabase, at: string): string =>
  String(database.prepare("select date(?, 'localtime') as day").all(at)[0]?.day);
