import { getOwn, isPlainObject } from '#lib/collections.ts';
import { findJsonProblem } from '#lib/jsonc.ts';
import { isDeeperThan, parseJson, stripBom } from '#lib/parse-json.ts';
import {
  type ParsedPlanFile,
  type PlanEntry,
  type PlanFileProblem,
  type PlanKind,
  type PlanRecord,
  type PlanSeen,
  type PlanValue,
  planKinds,
  planVersion,
} from '../../model/plan.ts';
import { isValidEntry, listMissingFields } from './check-entry.ts';
import { findConflictMarker } from './conflict.ts';
import { collectSeen, compareEntries } from './entries.ts';
import { formatPlanFile } from './format.ts';
import { compareVersions } from './merge.ts';
import { compareText, isStamp, mergeSeen } from './stamp.ts';

const knownKeys = ['version', 'kind', 'uid', 'origin', 'created', 'fields', 'sets', 'seen'];
const namePattern = /^[a-z][A-Za-z0-9]{0,63}$/;
const uidPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const replicaPattern = /^[0-9a-f]{1,64}$/;
const maxDepth = 16;

/** Reads a plan file. Never throws: a text that is not a record is reported with the line of the first problem. */
export function parsePlanFile(text: string): ParsedPlanFile {
  const marker = findConflictMarker(text);
  if (marker) return { problem: { kind: 'conflict-markers', line: marker, message: 'has conflict markers; run cleo sync --resolve' } };
  const json = parseJson(stripBom(text));
  if (json === undefined) {
    const { problem, line } = findJsonProblem(text) ?? { problem: 'not JSON', line: 1 };
    return { problem: { kind: 'broken', line, message: problem } };
  }
  const result = readRecord(json);
  if ('record' in result) return { ...result, isCanonical: formatPlanFile(result.record) === text };
  return { problem: { kind: result.kind ?? 'broken', line: findLine(text, result.near), message: result.message } };
}

interface Rejection {
  kind?: PlanFileProblem['kind'];
  message: string;
  /** Texts of the file that lead to the line: the second is searched after the first. */
  near: string[];
}

const reject = (message: string, ...near: string[]): Rejection => ({ message, near });

function readRecord(json: unknown): { record: PlanRecord } | Rejection {
  if (!isPlainObject(json)) return reject('a record is a JSON object');
  if (isDeeperThan(json, maxDepth)) return reject(`nested deeper than ${maxDepth} levels`);
  const { version, kind, uid, origin, created } = json;
  if (typeof version !== 'string' || !/^\d{1,6}\.\d{1,6}$/.test(version))
    return reject('"version" must be a text such as "1.0"', '"version"');
  if (compareVersions(version, planVersion) > 0 && !version.startsWith(`${planVersion.split('.')[0]}.`))
    return { ...reject(`version ${version} is newer than ${planVersion}; upgrade cleo`, '"version"'), kind: 'newer-version' };
  const knownKind = planKinds.find((one) => one === kind);
  if (!knownKind) return reject(`"kind" must be one of ${planKinds.join(', ')}`, '"kind"');
  if (typeof uid !== 'string' || !uidPattern.test(uid)) return reject('"uid" must be a text of letters, digits and . _ -', '"uid"');
  if (!isPlainObject(origin) || typeof origin.project !== 'string' || !isReplica(origin.replica))
    return reject('"origin" must have "project" and "replica"', '"origin"');
  if (!isPlainObject(created) || !isStamp(created.stamp) || !isCreationId(knownKind, created.id))
    return reject('"created" must have a stamp, and the id of a task (T042) or of memory (D-007)', '"created"');
  const entries = readEntries(json, knownKind);
  if ('message' in entries) return entries;
  // Memory is identified by its digest, which the store has once.
  if (knownKind === 'memory' && entries.list.some(({ field, value }) => field === 'digest' && !String(value).startsWith(uid)))
    return reject('"digest" must begin with the uid', '"digest"');
  const seen = readSeen(json.seen);
  if (!seen) return reject('"seen" must have one stamp per replica', '"seen"');
  const extra = Object.entries(json).filter(([key]) => !knownKeys.includes(key) && key !== '__proto__') as [string, PlanValue][];
  const record: PlanRecord = {
    version,
    kind: knownKind,
    uid,
    origin: { project: origin.project, replica: origin.replica },
    created: { stamp: created.stamp, ...(created.id === undefined ? {} : { id: created.id }) },
    entries: entries.list,
    seen: {},
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
  return { record: { ...record, seen: mergeSeen(seen, collectSeen(record)) } };
}

const isReplica = (value: unknown): value is string => typeof value === 'string' && replicaPattern.test(value);
/** Forms of the numbers; documents and handoffs have none. */
const idPatterns: Partial<Record<PlanKind, RegExp>> = { task: /^T(?!0+$)\d{3,15}$/, memory: /^[DLOP]-(?!0+$)\d{3,15}$/ };

function isCreationId(kind: PlanKind, id: unknown): id is string | undefined {
  const pattern = idPatterns[kind];
  return pattern ? typeof id === 'string' && pattern.test(id) : id === undefined;
}

function readEntries(json: Record<string, unknown>, kind: PlanKind): { list: PlanEntry[] } | Rejection {
  const list: PlanEntry[] = [];
  const ids = new Set<string>();
  for (const group of ['fields', 'sets']) {
    const isSet = group === 'sets';
    const fields = getOwn(json, group) ?? {};
    if (!isPlainObject(fields)) return reject(`"${group}" must be an object`, `"${group}"`);
    for (const [field, items] of Object.entries(fields)) {
      if (!namePattern.test(field) || !Array.isArray(items))
        return reject(`"${field}" must be a list`, `"${group}"`, JSON.stringify(field));
      for (const item of items) {
        const entry = readEntry(field, item, isSet);
        if (!entry || !isValidEntry(kind, entry))
          return reject(`"${field}" has an entry that is not valid`, `"${group}"`, JSON.stringify(field), formatBriefly(item));
        const id = `${group}\n${field}\n${entry.key}\n${entry.stamp}`;
        if (!ids.has(id)) list.push(entry);
        ids.add(id);
      }
    }
  }
  const [missing] = listMissingFields(kind, list);
  return missing ? reject(`a ${kind} needs "${missing}"`, '"fields"') : { list: list.sort(compareEntries) };
}

function readEntry(field: string, item: unknown, isSet: boolean): PlanEntry | undefined {
  if (!isPlainObject(item) || !isStamp(item.stamp)) return undefined;
  const { key, stamp, value = isSet ? true : undefined } = item as { key?: unknown; stamp: string; value?: PlanValue };
  if (value === undefined) return undefined;
  if (!isSet) return key === undefined ? { field, stamp, value } : undefined;
  return typeof key === 'string' && key !== '' && !key.includes('\n') ? { field, key, stamp, value } : undefined;
}

function readSeen(value: unknown): PlanSeen | undefined {
  if (value === undefined) return {};
  if (!isPlainObject(value)) return undefined;
  const pairs = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  const isValid = pairs.every(([replica, stamp]) => isReplica(replica) && isStamp(stamp) && stamp.endsWith(`.${replica}`));
  return isValid ? (Object.fromEntries(pairs) as PlanSeen) : undefined;
}

/** The stamp or the first value of an entry, to find its line. */
function formatBriefly(item: unknown): string {
  const [value] = isPlainObject(item) ? [item.stamp ?? item.key ?? Object.values(item)[0]] : [item];
  return JSON.stringify(value) ?? '';
}

function findLine(text: string, near: string[]): number {
  let at = 0;
  for (const part of near) {
    const next = text.indexOf(part, at);
    if (next >= 0) at = next;
  }
  return text.slice(0, at).split('\n').length;
}
