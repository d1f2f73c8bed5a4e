import { type InferOutput, is } from 'valibot';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { type WorkItem, WorkItemSchema, type WorkProcess, WorkProcessSchema, type WorkStop } from '../model/work-item.ts';

export const itemFile = 'item.json';
export const processFile = 'work.json';
export const workStopFile = 'stop.json';

const parse = <S extends typeof WorkItemSchema | typeof WorkProcessSchema>(
  schema: S,
  text: string | undefined,
): InferOutput<S> | undefined => {
  const value = parseJson(text);
  return is(schema, value) ? (value as InferOutput<S>) : undefined;
};

/** Undefined if the file is absent or damaged. */
export const parseWorkItem = (text: string | undefined): WorkItem | undefined => parse(WorkItemSchema, text);
export const parseWorkProcess = (text: string | undefined): WorkProcess | undefined => parse(WorkProcessSchema, text);

export function parseWorkStop(text: string | undefined): WorkStop | undefined {
  const value = parseJson(text);
  if (!isPlainObject(value) || typeof value.by !== 'string' || typeof value.at !== 'string') return undefined;
  return { by: value.by, at: value.at, isNow: value.isNow === true };
}

/** True for an item that its process had not finished. */
export const isUnfinished = ({ state }: Pick<WorkItem, 'state'>): boolean =>
  ['working', 'checking', 'judging', 'integrating', 'waiting'].includes(state);
