import { isPlainObject } from '#lib/collections.ts';
import { redactText } from '#lib/redact.ts';

/** Finds the first field or set of a plan file whose text contains a secret. `id` is the task or entry, as it was created. */
export function findSecretField(record: unknown): { field: string; id?: string } | undefined {
  if (!isPlainObject(record)) return undefined;
  const created = isPlainObject(record.created) && typeof record.created.id === 'string' ? { id: record.created.id } : {};
  for (const group of [record.fields, record.sets])
    for (const [field, entries] of Object.entries(isPlainObject(group) ? group : {}))
      for (const entry of Array.isArray(entries) ? entries : [])
        if (isPlainObject(entry) && hasSecret([entry.key, entry.value])) return { field, ...created };
  // Files of another form, such as grades.
  return record.fields === undefined && record.sets === undefined && hasSecret(Object.values(record)) ? { field: 'content' } : undefined;
}

/** Names whose values are hashes and signatures. */
const harmlessNames = ['signature', 'hash', 'sha256', 'digest', 'signer', 'publicKey', 'commit', 'proof', 'replica', 'to', 'parent'];

function hasSecret(value: unknown): boolean {
  if (typeof value === 'string') return redactText(value) !== value;
  if (Array.isArray(value)) return value.some(hasSecret);
  return isPlainObject(value) && Object.entries(value).some(([name, item]) => !harmlessNames.includes(name) && hasSecret(item));
}
