import type { Envelope } from '../../dispatch/envelope.ts';

/** `--fields a,b`: of each record only these. */
export function pickFields(envelope: Envelope, fields: string[]): Envelope {
  const field = envelope._meta.resultsField;
  if (!envelope.success || !field) return envelope;
  return { ...envelope, [field]: pick(envelope[field], fields) };
}

function pick(value: unknown, fields: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(value, name) ? [[name, (value as Record<string, unknown>)[name]]] : [])),
  );
}

/** `--quiet`: bare ids, one a line; where there are none, the bare value. */
export function quietText(envelope: Envelope): string {
  const value = envelope[envelope._meta.resultsField ?? ''];
  const lines = ids(value);
  if (lines.length > 0) return `${lines.join('\n')}\n`;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `${value}\n` : '';
}

function ids(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => (typeof item === 'string' ? [item] : ids(item)));
  if (typeof value !== 'object' || value === null) return [];
  const { id, taskId, children } = value as { id?: unknown; taskId?: unknown; children?: unknown };
  const own = id ?? taskId;
  return [...(own === undefined ? [] : [String(own)]), ...(Array.isArray(children) ? ids(children) : [])];
}
