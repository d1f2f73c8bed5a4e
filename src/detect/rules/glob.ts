/** Folders that a workspace names by patterns such as `packages/*`, `apps/**` and `!**\/old`, in the order of the folders. */
export function matching(folders: readonly string[], patterns: readonly string[]): string[] {
  const isIn = patterns.filter((pattern) => !pattern.startsWith('!')).map(segments);
  const isOut = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => segments(pattern.slice(1)));
  const fits = (folder: string) => {
    const parts = folder.split('/');
    return (pattern: string[]): boolean => wild(pattern, parts, '**', (one, part) => wild([...one], [...part], '*', same));
  };
  return folders.filter((folder) => isIn.some(fits(folder)) && !isOut.some(fits(folder)));
}

const segments = (pattern: string): string[] => pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/');
const same = (one: string, other: string): boolean => one === '?' || one === other;

/** Whether the text fits the pattern, in which `star` stands for any number of items. The patterns are anybody's: no way back but to the
 *  last star, so that none takes long. */
function wild(pattern: string[], text: string[], star: string, fits: (one: string, other: string) => boolean): boolean {
  let p = 0;
  let t = 0;
  let lastStar = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === star) {
      lastStar = p++;
      resume = t;
    } else if (p < pattern.length && fits(pattern[p]!, text[t]!)) {
      p += 1;
      t += 1;
    } else if (lastStar >= 0) {
      p = lastStar + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === star) p += 1;
  return p === pattern.length;
}
