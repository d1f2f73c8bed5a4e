/** The maximum size of a trace line's data, in UTF-16 units of its JSON. */
export const maxPayloadLength = 32 * 1024;

/** Replaces large parts of `data` by references: first long texts at any depth, then top-level values that are still too large. `store`
 *  saves a text and returns its name. */
export function extractPayloads(data: Record<string, unknown>, store: (text: string) => string): Record<string, unknown> {
  if (JSON.stringify(data).length <= maxPayloadLength) return data;
  const refer = (text: string, kind: 'text' | 'json') => ({ blob: store(text), kind, length: text.length });
  const extract = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > maxPayloadLength ? refer(value, 'text') : value;
    if (Array.isArray(value)) return value.map(extract);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, extract(item)]));
  };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const small = extract(value);
      const text = JSON.stringify(small) ?? 'null';
      return [name, text.length > maxPayloadLength ? refer(text, 'json') : small];
    }),
  );
}
