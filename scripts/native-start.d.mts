export const startSettings: Record<string, string>;
export function addStart(path: string, words: { everydayWords: readonly string[]; serverWord: string }): string | undefined;
