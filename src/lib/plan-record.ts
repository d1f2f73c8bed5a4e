import { isPlainObject } from './collections.ts';

/** Formats a record of the plan as a text that git can merge: sorted keys, one field or list entry per line. */
export const formatPlanRecord = (record: object): string => `${JSON.stringify(sortKeys(record), null, 2)}\n`;

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, sortKeys(item)]),
  );
}
