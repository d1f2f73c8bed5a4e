export const startSettings: Record<string, string>;
export function addStart(path: string, words: readonly string[]): string | undefined;
