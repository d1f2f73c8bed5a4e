export const exitLibrary: string;
export function createExitLibrary(): Buffer;
