import { join, resolve } from 'node:path';
import type { GitHooks } from './plan-port.ts';

interface GitCommands {
  query(tree: string, words: string[]): Promise<string | undefined>;
  require(tree: string, words: string[]): Promise<string>;
}

export function createGitHooks({ query, require }: GitCommands): GitHooks {
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
    async stageFolder(tree, folder) {
      await require(tree, ['add', '--all', '--', folder]);
    },
    async listStaged(tree, folder) {
      const listed = await require(tree, ['diff', '--cached', '--name-only', '--no-renames', '--diff-filter=d', '-z', '--', folder]);
      return listed.split('\0').filter((path) => path !== '');
    },
  };
}
