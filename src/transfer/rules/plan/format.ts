import { addToList, isPlainObject } from '#lib/collections.ts';
import type { PlanEntry, PlanRecord, PlanValue } from '../../model/plan.ts';
import { collectSeen, compareEntries } from './entries.ts';
import { compareText } from './stamp.ts';

/** Formats a record as a text that git merges by lines: fixed order, one entry per line, and brackets on lines of their own between the
 *  fields, so that changes of different fields are not adjacent. `parsePlanFile` is its inverse. */
export function formatPlanFile(record: PlanRecord): string {
  const entries = [...record.entries].sort(compareEntries);
  const implied = collectSeen(record);
  const seen = Object.entries(record.seen).filter(([replica, stamp]) => (implied[replica] ?? '') < stamp);
  const lines = [
    `"version": ${JSON.stringify(record.version)}`,
    `"kind": ${JSON.stringify(record.kind)}`,
    `"uid": ${JSON.stringify(record.uid)}`,
    `"origin": ${formatValue(record.origin)}`,
    `"created": ${formatValue(record.created)}`,
    ...formatGroups(
      'fields',
      entries.filter(({ key }) => key === undefined),
    ),
    ...formatGroups(
      'sets',
      entries.filter(({ key }) => key !== undefined),
    ),
    ...formatSeen(seen),
    ...Object.entries(record.extra ?? {})
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, value]) => `${JSON.stringify(key)}: ${formatValue(value)}`),
  ];
  return `{\n${lines.map((line) => `  ${line}`).join(',\n')}\n}\n`;
}

/** The title is the first field, because people read it to find out which record a file has. */
const compareFields = (a: string, b: string): number => Number(b === 'title') - Number(a === 'title') || compareText(a, b);

function formatGroups(name: string, entries: PlanEntry[]): string[] {
  if (entries.length === 0) return [];
  const groups = new Map<string, PlanEntry[]>();
  for (const entry of entries) addToList(groups, entry.field, entry);
  const blocks = [...groups]
    .sort(([a], [b]) => compareFields(a, b))
    .map(([field, items]) => `    ${JSON.stringify(field)}: [\n${items.map((item) => `      ${formatEntry(item)}`).join(',\n')}\n    ]`);
  return [`${JSON.stringify(name)}: {\n${blocks.join(',\n')}\n  }`];
}

function formatEntry({ key, value, stamp }: PlanEntry): string {
  const parts = [
    ...(key === undefined ? [] : [`"key": ${JSON.stringify(key)}`]),
    ...(key !== undefined && value === true ? [] : [`"value": ${formatValue(value)}`]),
    `"stamp": ${JSON.stringify(stamp)}`,
  ];
  return `{${parts.join(', ')}}`;
}

function formatSeen(seen: [replica: string, stamp: string][]): string[] {
  if (seen.length === 0) return [];
  const lines = seen.sort(([a], [b]) => compareText(a, b)).map(([replica, stamp]) => `    "${replica}": "${stamp}"`);
  return [`"seen": {\n${lines.join(',\n')}\n  }`];
}

/** Formats a value on one line, with sorted keys and a space after separators. */
function formatValue(value: PlanValue | object): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const items = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compareText(a, b));
  return `{${items.map(([key, item]) => `${JSON.stringify(key)}: ${formatValue(item as PlanValue)}`).join(', ')}}`;
}
