import type { Readable } from 'node:stream';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { instructions, toCapabilities, toServerInfo } from './server-info.ts';

/** A request that was answered before the SDK was loaded. */
export interface FirstAnswer {
  id: string | number;
  text: string;
}

/** What was read before the SDK was loaded: the first bytes of the input, and the request of them that is answered. */
export interface Opening {
  bytes?: Buffer | undefined;
  answered?: FirstAnswer['id'] | undefined;
}

/** Waits for the first message and answers it if it is an ordinary `initialize` or `server/discover`. A client waits for this answer when it
 *  starts, and loading the SDK takes longer than everything before it. The SDK handles the message too, and its answer is dropped. */
export async function answerFirstMessage(
  input: Readable,
  stop: AbortSignal,
  version: string,
  write: (text: string) => void,
): Promise<Opening> {
  const bytes = await readFirstBytes(input, stop);
  const length = bytes?.indexOf(10) ?? -1;
  const answer = length < 0 ? undefined : createFirstAnswer(bytes!.toString('utf8', 0, length), version);
  if (answer) write(answer.text);
  return { bytes, answered: answer?.id };
}

/** Reads the first bytes of the input and pauses it. Returns undefined if it ends or the process is stopped before. */
function readFirstBytes(input: Readable, stop: AbortSignal): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const finish = (bytes?: unknown): void => {
      for (const event of events) input.off(event, finish);
      stop.removeEventListener('abort', finish);
      input.pause();
      resolve(Buffer.isBuffer(bytes) ? bytes : undefined);
    };
    const events = ['data', 'end', 'error', 'close'];
    for (const event of events) input.on(event, finish);
    stop.addEventListener('abort', finish);
    if (stop.aborted) finish();
  });
}

/** Creates the answer that the SDK gives to a message. Returns undefined for every message whose answer depends on more than its form: the
 *  SDK answers it. */
export function createFirstAnswer(line: string, version: string): FirstAnswer | undefined {
  const message = parseJson(line);
  if (!hasOnly(message, { jsonrpc: isVersion2, id: isId, method: isString, params: isPlainObject })) return undefined;
  const { id, method, params } = message as { id: FirstAnswer['id']; method: string; params: unknown };
  const create = method === 'initialize' ? createInitializeResult : method === 'server/discover' ? createDiscoverResult : undefined;
  const result = create?.(params, version);
  return result && { id, text: `${JSON.stringify({ result, jsonrpc: '2.0', id })}\n` };
}

/** The revisions in which a connection begins with `initialize`. The SDK accepts any of them. */
export const initializedRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const discoveredRevision = '2026-07-28';

function createInitializeResult(params: unknown, version: string): object | undefined {
  if (!hasOnly(params, { protocolVersion: isInitializedRevision, capabilities: isCapabilities, clientInfo: isClientInfo }))
    return undefined;
  const { protocolVersion } = params as { protocolVersion: string };
  return { protocolVersion, capabilities: toCapabilities(true), serverInfo: toServerInfo(version), instructions };
}

function createDiscoverResult(params: unknown, version: string): object | undefined {
  const prefix = 'io.modelcontextprotocol/';
  const isEnvelope = (value: unknown): boolean =>
    hasOnly(value, {
      [`${prefix}protocolVersion`]: (revision) => revision === discoveredRevision,
      [`${prefix}clientInfo`]: isClientInfo,
      [`${prefix}clientCapabilities`]: isCapabilities,
    });
  if (!hasOnly(params, { _meta: isEnvelope })) return undefined;
  return {
    supportedVersions: [discoveredRevision],
    capabilities: toCapabilities(true),
    instructions,
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${prefix}serverInfo`]: toServerInfo(version) },
  };
}

type Check = (value: unknown) => boolean;

/** Checks for an object that has exactly the `required` keys, and of the `optional` ones any, with values of the right form. */
function hasOnly(value: unknown, required: Record<string, Check>, optional: Record<string, Check> = {}): boolean {
  if (!isPlainObject(value)) return false;
  const isRight = (key: string): boolean => {
    const check = Object.hasOwn(required, key) ? required[key] : Object.hasOwn(optional, key) ? optional[key] : undefined;
    return check?.(value[key]) === true;
  };
  return Object.keys(value).every(isRight) && Object.keys(required).every((key) => Object.hasOwn(value, key));
}

const isString: Check = (value) => typeof value === 'string';
const isVersion2: Check = (value) => value === '2.0';
const isId: Check = (value) => typeof value === 'string' || Number.isSafeInteger(value);
const isInitializedRevision: Check = (value) => initializedRevisions.includes(value as string);
const isEmpty: Check = (value) => hasOnly(value, {});

const isClientInfo: Check = (value) =>
  hasOnly(value, { name: isString, version: isString }, { title: isString, description: isString, websiteUrl: isString });

/** Checks for the capabilities that clients send today. The SDK answers clients with others. */
const isCapabilities: Check = (value) =>
  hasOnly(
    value,
    {},
    {
      roots: (roots) => hasOnly(roots, {}, { listChanged: (changes) => typeof changes === 'boolean' }),
      sampling: isEmpty,
      elicitation: (elicitation) => hasOnly(elicitation, {}, { form: isEmpty, url: isEmpty }),
    },
  );
