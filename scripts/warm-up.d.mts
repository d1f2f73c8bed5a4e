export const everydayWords: readonly string[];
