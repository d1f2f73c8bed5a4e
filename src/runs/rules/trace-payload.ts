/** From this size on, in UTF-16 units of its JSON, a value is no part of a line. */
export const largestPayload = 32 * 1024;

/** Data whose large parts are kept elsewhere: long texts first, wherever they stand, then whatever is still too large under one name.
 *  `keep` takes a text and says what it is called. */
export function withoutPayloads(data: Record<string, unknown>, keep: (text: string) => string): Record<string, unknown> {
  if (JSON.stringify(data).length <= largestPayload) return data;
  const refer = (text: string, kind: 'text' | 'json') => ({ blob: keep(text), kind, length: text.length });
  const spilt = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > largestPayload ? refer(value, 'text') : value;
    if (Array.isArray(value)) return value.map(spilt);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spilt(item)]));
  };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const small = spilt(value);
      const text = JSON.stringify(small) ?? 'null';
      return [name, text.length > largestPayload ? refer(text, 'json') : small];
    }),
  );
}
