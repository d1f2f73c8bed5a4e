import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RevokedTokens } from '#core/model/token.ts';
import { parseJson } from '#lib/parse-json.ts';
import { files } from './files.ts';

/** Ids of files that were read before, by path and state of the file. */
const cache = new Map<string, { state: string; ids: Set<string> }>();

/** The revoked tokens that this user or server knows, in a file of the cleo folder. They stay revoked if the database of a project is replaced
 *  by an earlier one. An id is a hash of the stored hash, so that the file is worth nothing to who reads it. */
export function openRevokedTokens(home: string): RevokedTokens {
  const path = join(home, 'revoked-tokens.jsonl');
  const read = (): Set<string> => {
    const state = readState(path);
    const known = cache.get(path);
    if (known?.state === state) return known.ids;
    const lines = state === '' ? [] : (files.readText(path) ?? '').split('\n');
    const ids = new Set(lines.map((line) => (parseJson(line) as { id?: string } | undefined)?.id ?? ''));
    cache.set(path, { state, ids });
    return ids;
  };
  return {
    path,
    has: (project, hash) => read().has(toId(project, hash)),
    add(project, tokens) {
      const added = tokens.filter(({ hash }) => !read().has(toId(project, hash)));
      if (added.length === 0) return;
      files.createFolder(dirname(path), true);
      files.writeNew(path, '', true);
      for (const { name, hash, revokedAt } of added)
        files.appendLine(path, JSON.stringify({ project, token: name, revokedAt, id: toId(project, hash) }));
    },
  };
}

const toId = (project: string, hash: string): string => createHash('sha256').update(`${project} ${hash}`).digest('hex').slice(0, 32);

/** Returns the size and time of the file, and an empty text without one. */
function readState(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status ? `${status.size} ${status.mtimeNs} ${status.ino}` : '';
}
