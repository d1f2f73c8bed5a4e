import { CleoError } from '#core/errors/error.ts';
import type { Git } from './port.ts';

interface GitCommands {
  query(tree: string, words: string[]): Promise<string | undefined>;
  require(tree: string, words: string[], options?: { timeoutMs?: number; input?: string }): Promise<string>;
  checkRef(name: string): void;
}

const networkTimeoutMs = 60_000;
const maxPushes = 4;

/** Notes of git whose content is lines that are only ever added, so that merging both sides keeps all of them. */
export function createGitNotes({
  query,
  require,
  checkRef,
}: GitCommands): Pick<Git, 'hasRef' | 'readRemoteNotes' | 'mergeRemoteNotes' | 'addNoteLines' | 'pushNotes'> {
  /** Fetches a ref of a remote without changing a local one; returns its commit. */
  const fetchRef = async (tree: string, remote: string, ref: string): Promise<string | undefined> => {
    checkRef(remote);
    const listed = await require(tree, ['ls-remote', '--end-of-options', remote, ref], { timeoutMs: networkTimeoutMs });
    const commit = /^([0-9a-f]{40,64})\t/.exec(listed)?.[1];
    if (!commit) return undefined;
    await require(tree, [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--end-of-options',
      remote,
      `+${ref}:${toTrackingRef(remote)}`,
    ], {
      timeoutMs: networkTimeoutMs,
    });
    return query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${toTrackingRef(remote)}^{commit}`]);
  };
  const mergeRemoteNotes: Git['mergeRemoteNotes'] = async (tree, remote, ref) => {
    const commit = await fetchRef(tree, remote, ref);
    if (!commit) return;
    if (!(await query(tree, ['rev-parse', '--verify', '--quiet', ref]))) await require(tree, ['update-ref', ref, commit]);
    else await require(tree, ['notes', `--ref=${ref}`, 'merge', '--quiet', '--strategy=cat_sort_uniq', toTrackingRef(remote)]);
  };
  return {
    hasRef: async (tree, ref) => (await query(tree, ['rev-parse', '--verify', '--quiet', ref])) !== undefined,
    async readRemoteNotes(tree, remote, ref) {
      const commit = await fetchRef(tree, remote, ref);
      if (!commit) return undefined;
      const listed = await require(tree, ['ls-tree', '-r', '-z', '--full-tree', commit]);
      const blobs = listed.split('\0').flatMap((line) => /^\d+ blob ([0-9a-f]+)\t/.exec(line)?.[1] ?? []);
      // The content of one blob follows another. Header lines of git are not heads and are skipped by the parser.
      return require(tree, ['cat-file', '--batch'], { input: `${blobs.join('\n')}\n` });
    },
    mergeRemoteNotes,
    async addNoteLines(tree, ref, commit, lines) {
      const before = (await query(tree, ['notes', `--ref=${ref}`, 'show', commit]))?.split('\n') ?? [];
      const fresh = lines.filter((line) => !before.includes(line));
      if (fresh.length === 0) return;
      const input = `${[...before.filter((line) => line !== ''), ...fresh].join('\n')}\n`;
      await require(tree, ['notes', `--ref=${ref}`, 'add', '--force', '--file=-', commit], { input });
    },
    async pushNotes(tree, remote, ref) {
      checkRef(remote);
      for (let n = 1; ; n++) {
        try {
          await require(tree, ['push', '--quiet', '--porcelain', '--end-of-options', remote, `${ref}:${ref}`], {
            timeoutMs: networkTimeoutMs,
          });
          return;
        } catch (error) {
          const isBehind = error instanceof CleoError && /rejected|non-fast-forward|fetch first|cannot lock ref/i.test(error.message);
          if (!isBehind || n === maxPushes) throw error;
          await mergeRemoteNotes(tree, remote, ref);
        }
      }
    },
  };
}

/** A ref of its own for each remote, so that the local notes stay as they are. */
const toTrackingRef = (remote: string): string => `refs/notes/remotes/${remote}/cleo`;
