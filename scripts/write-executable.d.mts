export function writeExecutable(path: string, bytes: Uint8Array): void;
