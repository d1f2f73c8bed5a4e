import type { Registry } from '#core/define.ts';
import { checkJson } from '#lib/parse-json.ts';

export const maxBodyBytes = 1 << 20;

/** Returns the longest body of a request to an operation: what its definition declares, for operations that carry contents. */
export async function getMaxBodyBytes(registry: Registry, operation: string): Promise<number> {
  const declared = await registry.find(operation)?.load();
  return declared?.maxBodyBytes ?? maxBodyBytes;
}

/** Reads the body; undefined if it is too long. A body with a Content-Length is read at once, because reading it chunk by chunk would
 *  take longer than the call. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null) return Number(length) > maxBytes ? undefined : new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Parses a body of JSON; undefined if it is not UTF-8 or not JSON. */
export function parseBody(body: Uint8Array): { value: unknown } | undefined {
  try {
    const parsed = checkJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return 'value' in parsed ? parsed : undefined;
  } catch {
    return undefined;
  }
}
