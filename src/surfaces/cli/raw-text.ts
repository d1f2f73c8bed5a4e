import type { Reply } from '#dispatch/dispatch.ts';
import { escapeInvisible } from '#lib/invisible.ts';
import type { Terminal } from './run.ts';

/** Formats a value that a pipe gets as it is. A terminal would obey the escape sequences in it, so there they are shown. */
export function formatRaw(text: string, encoding: unknown, operation: Reply['operation'], { isTerminal }: Terminal): string | Uint8Array {
  const bytes = Buffer.from(text, encoding as BufferEncoding | undefined);
  if (isTerminal) return addNewline(escapeInvisible(encoding === undefined ? text : bytes.toString()));
  return operation?.cli.isExact ? bytes : addNewline(text);
}

const addNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
