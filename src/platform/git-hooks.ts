import { join, resolve } from 'node:path';
import type { GitHooks } from './plan-port.ts';

interface GitCommands {
  query(tree: string, words: string[]): Promise<string | undefined>;
  require(tree: string, words: string[], options?: { env?: Record<string, string> }): Promise<string>;
}

/** `indexFile` is the value of GIT_INDEX_FILE. For `commit --all` git passes a copy of the index to its hooks; the other one is locked. */
export function createGitHooks({ query, require }: GitCommands, indexFile: string | undefined): GitHooks {
  const onIndex = indexFile ? { env: { GIT_INDEX_FILE: indexFile } } : {};
  return {
    async findHooks(tree) {
      const common = await query(tree, ['rev-parse', '--git-common-dir']);
      if (common === undefined) return undefined;
      // Our own calls of git switch hooks off, which has the scope `command`.
      const listed = (await query(tree, ['config', '--show-scope', '--type=path', '--get-all', 'core.hooksPath'])) ?? '';
      const hooksPath = listed
        .split('\n')
        .flatMap((line) => /^(?!command)\w+\t(.+)$/.exec(line)?.[1] ?? [])
        .at(-1);
      const shared = resolve(tree, common);
      return hooksPath
        ? { common: shared, folder: resolve(tree, hooksPath), hooksPath }
        : { common: shared, folder: join(shared, 'hooks') };
    },
    readSetting: (tree, key) => query(tree, ['config', '--local', '--get', key]),
    async writeSetting(tree, key, value) {
      if (value !== undefined) await require(tree, ['config', '--local', key, value]);
      // Git reports a key that is not set as an error.
      else await query(tree, ['config', '--local', '--unset-all', key]);
    },
    // Git names the index of a commit of single files like this.
    isPartialCommit: () => /(?:^|[\\/])next-index-[^\\/]*$/.test(indexFile ?? ''),
    hasChanges: async (tree, paths) =>
      (await require(tree, ['status', '--porcelain', '--untracked-files=normal', '--no-renames', '-z', '--', ...paths], onIndex)) !== '',
    async stage(tree, paths) {
      await require(tree, ['add', '--all', '--', ...paths], onIndex);
    },
    async listStaged(tree, paths) {
      const words = ['diff', '--cached', '--name-only', '--no-renames', '--diff-filter=d', '-z', '--', ...paths];
      const listed = await require(tree, words, onIndex);
      return listed.split('\0').filter((path) => path !== '');
    },
  };
}
