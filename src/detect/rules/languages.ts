import type { ProjectType, SourcedName } from '../model/project-context.ts';
import { isFixture } from './ignored-folders.ts';

const endings: Record<string, string[]> = {
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  javascript: ['js', 'jsx', 'mjs', 'cjs'],
  vue: ['vue'],
  svelte: ['svelte'],
  python: ['py', 'pyi'],
  rust: ['rs'],
  go: ['go'],
  java: ['java'],
  kotlin: ['kt'],
  scala: ['scala'],
  groovy: ['groovy'],
  csharp: ['cs'],
  fsharp: ['fs', 'fsx'],
  'visual basic': ['vb'],
  ruby: ['rb'],
  php: ['php'],
  c: ['c'],
  'c++': ['cc', 'cpp', 'cxx', 'hpp'],
  swift: ['swift'],
  elixir: ['ex', 'exs'],
  dart: ['dart'],
  lua: ['lua'],
  zig: ['zig'],
  shell: ['sh', 'bash'],
};
const languageByEnding = new Map(Object.entries(endings).flatMap(([name, all]) => all.map((ending) => [ending, name])));

const languagesByType: Record<ProjectType, string[]> = {
  node: ['typescript', 'javascript', 'vue', 'svelte'],
  python: ['python'],
  rust: ['rust'],
  go: ['go'],
  java: ['java', 'kotlin', 'scala', 'groovy'],
  dotnet: ['csharp', 'fsharp', 'visual basic'],
  ruby: ['ruby'],
  php: ['php'],
};

/** Generated files and configuration files do not count. */
const isGenerated = (path: string): boolean =>
  isFixture(path) || /\.(?:d\.ts|min\.js|config\.[cm]?[jt]s|pb\.go|g\.cs)$|(?:^|\/)\.[^/]+$/.test(path);

interface LanguageCount {
  files: number;
  folders: Map<string, number>;
}

/** Counts the files of each language, in total and by top-level folder. */
export function countLanguages(files: readonly string[]): Map<string, LanguageCount> {
  const counts = new Map<string, LanguageCount>();
  for (const path of files) {
    const language = languageByEnding.get(path.slice(path.lastIndexOf('.') + 1));
    if (!language || isGenerated(path)) continue;
    const count = counts.get(language) ?? { files: 0, folders: new Map() };
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
    count.files += 1;
    count.folders.set(folder, (count.folders.get(folder) ?? 0) + 1);
    counts.set(language, count);
  }
  return counts;
}

export const countFiles = (type: ProjectType, counts: Map<string, LanguageCount>): number =>
  languagesByType[type].reduce((sum, language) => sum + (counts.get(language)?.files ?? 0), 0);

/** Lists languages with at least 2 % of the files, most used first; shell scripts only if there is nothing else. */
export function listLanguages(counts: Map<string, LanguageCount>): SourcedName[] {
  const all = [...counts].filter(([name]) => name !== 'shell' || counts.size === 1);
  const total = all.reduce((sum, [, { files }]) => sum + files, 0);
  return all
    .filter(([, { files }]) => files >= total / 50)
    .sort(([a, one], [b, other]) => other.files - one.files || (a < b ? -1 : 1))
    .slice(0, 8)
    .map(([name, { folders }]) => ({ name, from: [...folders].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]![0] }));
}
