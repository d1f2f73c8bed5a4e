/** What stands in a trace for a payload that is kept beside it. */
export interface Blob {
  blob: string;
  bytes: number;
}

export const largestPayload = 32 * 1024;

/** Fields that hold what others wrote, in whatever shape; everything else is ours, and only its texts may be long. */
const payloads = new Set(['content', 'input_summary']);

/** The data of an event without what is too large for a line: `keep` takes it, and gives its name. Lists of ours stay lists. */
export function withoutPayloads(data: Record<string, unknown>, keep: (text: string) => string): Record<string, unknown> {
  const apart = (text: string): Blob => ({ blob: `sha256:${keep(text)}`, bytes: byteLength(text) });
  const slim = (value: unknown, isPayload: boolean): unknown => {
    if (typeof value === 'string') return value.length > largestPayload / 4 && byteLength(value) > largestPayload ? apart(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (isPayload) {
      const text = JSON.stringify(value);
      return byteLength(text) > largestPayload ? apart(text) : value;
    }
    if (Array.isArray(value)) return value.map((item) => slim(item, false));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, slim(item, payloads.has(name))]));
  };
  return slim(data, false) as Record<string, unknown>;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
