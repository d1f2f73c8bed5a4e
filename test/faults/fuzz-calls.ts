import { describeParams, type ParamShape } from '../../src/core/command-line.ts';
import type { Operation } from '../../src/core/define.ts';
import { registry } from '../../src/core/index.generated.ts';
import type { Choices } from '../random.ts';
import { hostileTexts, hostileValues } from './hostile-values.ts';

export interface FuzzCall {
  operation: Operation;
  params: Record<string, unknown>;
  mode: 'valid' | 'nearly valid' | 'hostile';
}

/** The tasks of a project for random calls. */
export const fuzzTasks = ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 done', 'T005 active by tester', 'T006 by tester'];

export const loadOperations = (): Promise<Operation[]> => Promise.all(registry.entries.map((entry) => entry.load()));

/** Hostile values of at most a few kilobytes, so that a run consists of calls and not of copying. */
const shortTexts = Object.values(hostileTexts).filter((text) => text.length < 6000);
const shortValues = Object.entries(hostileValues).flatMap(([name, value]) => (/^(deep|long|many)/.test(name) ? [] : [value]));
const texts = ['one', 'T001', 'A longer text with several words.', 'ünïcödé', 'a,b,c', 'x=1', '2026-01-01', 'main', 'docs/notes.md'];

/** Calls that wait by design, for work or for an agent to end, would be slow whatever they are given. */
const waitingParams = ['wait', 'timeout', 'daemon', 'follow'];

function withoutWaiting(params: Record<string, unknown>): void {
  for (const name of waitingParams) {
    if (typeof params[name] === 'number') params[name] = Math.min(params[name], 0);
    else if (['true', '1', 'yes'].includes(String(params[name]).trim())) params[name] = false;
  }
}

/** Creates a call of one of the operations: valid by its schema, with one wrong parameter, or with hostile values. */
export function createFuzzCall(choices: Choices, operations: Operation[]): FuzzCall {
  const { pick, chance, number } = choices;
  const operation = pick(operations);
  const shapes = describeParams(operation.params);
  const params: Record<string, unknown> = { ...operation.example.call };
  for (const shape of shapes) if (chance(shape.isRequired ? 0.3 : 0.15)) params[shape.name] = createValue(choices, shape);
  withoutWaiting(params);
  const at = number();
  if (at < 0.45 || shapes.length === 0) return { operation, params, mode: 'valid' };
  const { name, type } = pick(shapes);
  if (at < 0.75) {
    pick([
      () => delete params[name],
      () => Object.assign(params, { [`${name}x`]: 1 }),
      () => Object.assign(params, { [name.toUpperCase()]: params[name] ?? 'x' }),
      () => Object.assign(params, { [name]: String(params[name] ?? '') }),
      () => Object.assign(params, { [name]: [params[name] ?? 'x'] }),
      () => Object.assign(params, { [name]: { value: params[name] } }),
      () => Object.assign(params, { [name]: type === 'number' ? -1 : `${params[name] ?? ''} ` }),
      () => Object.assign(params, { [name]: null }),
    ])();
    withoutWaiting(params);
    return { operation, params, mode: 'nearly valid' };
  }
  const hostile = chance(0.7) ? pick(shortTexts) : pick(shortValues);
  params[name] = type === 'list' && typeof hostile === 'string' && chance(0.7) ? [hostile] : hostile;
  withoutWaiting(params);
  return { operation, params, mode: 'hostile' };
}

function createValue({ pick, below, chance }: Choices, { type, choices, value }: ParamShape): unknown {
  const createText = (): string => {
    if (choices?.length) return pick(choices);
    if (value?.startsWith('T')) return `T00${below(8)}`;
    return pick(texts);
  };
  if (type === 'flag') return chance(0.5);
  if (type === 'number') return below(30);
  return type === 'list' ? Array.from({ length: below(4) }, createText) : createText();
}

export const describeCall = ({ operation, params, mode }: FuzzCall): string => {
  const text = JSON.stringify(params, (_, value) => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value));
  return `${operation.name} (${mode}) ${text.slice(0, 400)}`;
};
