import type { GithubReads, GithubWrites } from '../../port/transfer.ts';
import { listRows } from '../list-rows.ts';
import { type Db, listValues, splitChunks, sql } from '../sql.ts';

export const createGithubReads = (db: Db): GithubReads => ({
  async list(repo) {
    const rows = await db.all(sql`select path, etag, body from github_cache where repo = ${repo}`);
    return new Map(
      rows.map(({ path, etag, body }) => {
        const entry = { path: String(path), body: String(body) };
        return [entry.path, etag === null ? entry : { ...entry, etag: String(etag) }];
      }),
    );
  },
});

export const createGithubWrites = (db: Db): GithubWrites => ({
  async save(repo, entries) {
    for (const some of splitChunks(entries, 150))
      await db.run(sql`
        insert into github_cache (repo, path, etag, body) values ${listRows(some.map(({ path, etag, body }) => [repo, path, etag, body]))}
        on conflict (repo, path) do update set etag = excluded.etag, body = excluded.body`);
  },
  async remove(repo, paths) {
    for (const some of splitChunks(paths, 150))
      await db.run(sql`delete from github_cache where repo = ${repo} and path in ${listValues(some)}`);
  },
});
