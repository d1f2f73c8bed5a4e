export const everydayWords: readonly string[];
export const serverWord: string;
