import type { Operation } from '../../src/core/define.ts';
import { fileRecordKinds } from '../../src/core/model/shared-records.ts';
import type { Choices } from '../random.ts';
import { createFuzzCall } from './fuzz-calls.ts';
import { hostileTexts, hostileValues } from './hostile-values.ts';

/** A request of a program that speaks the protocol of clients. */
export interface FuzzRequest {
  path: string;
  body: unknown;
}

const texts = Object.values(hostileTexts).filter((text) => text.length < 3000);
const values = Object.entries(hostileValues).flatMap(([name, value]) => (/^(deep|long|many)/.test(name) ? [] : [value]));

/** Creates a request to one of the endpoints of clients. In half of them one value is replaced by a hostile one. */
export function createFuzzRequest(choices: Choices, operations: Operation[]): FuzzRequest {
  const { chance, pick } = choices;
  const request = pick([createCall, createCall, createPart, createPart, createLease, createRecords])(choices, operations);
  return chance(0.5) ? { ...request, body: damage(choices, request.body) } : request;
}

function createCaller({ pick, chance }: Choices): object {
  return {
    identity: { kind: pick(['named', 'conversation', 'mark', 'person']), agent: pick(['fuzz/one', 'fuzz', 'ada', 'T001-validator-1']) },
    grade: { isEnabled: chance(0.2) },
    ...(chance(0.3) ? { host: pick(['host', ...texts.slice(0, 3)]) } : {}),
    ...(chance(0.3) ? { process: { client: 'claude', pid: pick([1, -1, 4711]), startTime: '1', key: 'h:1:1' } } : {}),
    ...(chance(0.2) ? { validatorSecret: pick(texts) } : {}),
    ...(chance(0.2) ? { session: pick(['S-1', 'main']) } : {}),
  };
}

function createBody(choices: Choices, operations: Operation[]): { operation: Operation; body: Record<string, unknown> } {
  const { pick, chance, below } = choices;
  const { operation, params } = createFuzzCall(choices, operations);
  const facts = (operation.observes ?? []).map(({ name }) => ({ name, request: pick(values), facts: pick([{}, ...values]) }));
  const body = {
    params,
    gateway: pick(['cli', 'cleo_query', 'cleo_mutate']),
    attempt: 1 + below(2),
    caller: createCaller(choices),
    ...(chance(0.6) ? { facts } : {}),
    ...(chance(0.2) ? { idempotencyKey: pick(['k', ...texts]) } : {}),
    ...(chance(0.2) ? { isObserver: true } : {}),
  };
  return { operation, body };
}

function createCall(choices: Choices, operations: Operation[]): FuzzRequest {
  const { operation, body } = createBody(choices, operations);
  return { path: `/api/call/${operation.name}`, body };
}

function createPart(choices: Choices, operations: Operation[]): FuzzRequest {
  const { pick, below, chance } = choices;
  const { operation, body } = createBody(
    choices,
    operations.filter(({ runsOn, steps }) => steps !== undefined || runsOn === 'client'),
  );
  const key = `key-${below(50)}`;
  const step = pick([...(operation.steps ?? []), undefined])?.name ?? pick(['none', ...texts]);
  const error = { code: 'E_NOT_FOUND', exitCode: pick([4, 4, 4, 0, -1, 1e9]), message: pick(texts), fix: pick(['cleo show', ...texts]) };
  const part = pick<object>([
    { action: 'begin', key },
    { action: 'step', key, name: step, params: pick([{}, ...values]), ...(chance(0.5) ? { job: below(20) } : {}) },
    {
      action: 'finish',
      key,
      durationMs: pick([1, -1, 1e12]),
      job: below(20),
      ...(chance(0.5) ? { error } : { result: {}, exit: pick([0, 100, 7]) }),
    },
  ]);
  return { path: `/api/part/${operation.name}`, body: { ...body, part } };
}

function createLease({ pick }: Choices): FuzzRequest {
  return { path: '/api/lease', body: { state: pick(['renew', 'away']), caller: { agent: pick(['fuzz', 'fuzz/one', 'ada']) } } };
}

function createRecords({ pick, below }: Choices): FuzzRequest {
  const kind = pick(fileRecordKinds);
  const name = pick(['run-1/run.json', '../x', 'grades', ...texts]);
  const stored = { encoding: pick(['utf8', 'base64']), content: pick(texts) };
  const request = pick<object>([
    { action: 'list', kinds: [kind] },
    { action: 'read', kind, names: [name] },
    { action: 'remove', kind, names: [name] },
    { action: 'save', kind, records: [{ name, hash: pick(['0'.repeat(64), name]), size: below(10), stored }] },
  ]);
  return { path: '/api/records', body: { agent: pick(['fuzz', 'ada']), request } };
}

/** Replaces one value at a random place by a hostile one, or removes it. */
function damage(choices: Choices, value: unknown): unknown {
  const { pick, chance } = choices;
  if (typeof value !== 'object' || value === null || chance(0.25)) return pick<unknown>([...texts, ...values]);
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  const key = pick(keys);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (chance(0.1)) delete copy[key];
  else copy[key] = damage(choices, copy[key]);
  return copy;
}
