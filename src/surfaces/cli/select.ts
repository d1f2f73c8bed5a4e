import type { Fields } from '#core/terminal/index.ts';
import type { Envelope } from '#dispatch/dispatch.ts';

/** Keeps only these fields of each record, for `--fields a,b`. A name that no record has becomes a warning. */
export function pickFields(envelope: Envelope, fields: string[]): Envelope {
  const field = envelope._meta.resultsField;
  if (!envelope.success || !field) return envelope;
  const names = fields.map((name) => name.trim()).filter((name) => name !== '');
  const seen = new Set<string>();
  const picked = pickRecord(envelope[field], names, seen);
  const unknown = seen.size === 0 && isEmpty(envelope[field]) ? [] : names.filter((name) => !seen.has(name));
  const warnings = [
    ...(envelope._meta.warnings ?? []),
    ...unknown.map((name) => `no record has a field ${JSON.stringify(name.slice(0, 60))}`),
  ];
  return { ...envelope, _meta: { ...envelope._meta, ...(warnings.length ? { warnings } : {}) }, [field]: picked };
}

/** Picks fields of a record and of its children in a tree; other nested records stay whole. */
function pickRecord(value: unknown, names: string[], seen: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => pickRecord(item, names, seen));
  if (typeof value !== 'object' || value === null) return value;
  const picked: Fields = {};
  for (const name of names)
    if (Object.hasOwn(value, name)) {
      picked[name] = (value as Fields)[name];
      seen.add(name);
    }
  const { children } = value as Fields;
  return Array.isArray(children) && !names.includes('children') ? { ...picked, children: pickRecord(children, names, seen) } : picked;
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Formats an answer for `--quiet`: the ids, one on a line, or the plain value of an answer without ids. */
export function formatQuiet(envelope: Envelope): string {
  const value = envelope[envelope._meta.resultsField ?? ''];
  const lines = listIds(value);
  if (lines.length > 0) return `${lines.join('\n')}\n`;
  // `complete` answers with a time first; its task follows.
  const [task] = listIds(envelope.task);
  if (task !== undefined) return `${task}\n`;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `${value}\n` : '';
}

function listIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => (typeof item === 'string' ? [item] : listIds(item)));
  if (typeof value !== 'object' || value === null) return [];
  // A grade has the id of its session and of the session's task; the session was graded.
  const { id, slug, sessionId, taskId, name, version, children, tasks } = value as Fields;
  const own = id ?? slug ?? sessionId ?? taskId ?? name ?? version;
  // A wave has no id; its tasks are listed.
  const inner = children ?? (own === undefined ? tasks : undefined);
  return [...(own === undefined ? [] : [String(own)]), ...(Array.isArray(inner) ? listIds(inner) : [])];
}
