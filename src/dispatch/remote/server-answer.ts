import type { GatewayCall } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Caller, Changes } from '#core/model/audit.ts';
import type { ServerAnswer } from '#core/model/server-connection.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TokenIdentity } from '#core/model/token.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Envelope } from '../dispatch.ts';

/** The answer of a server to a client. A request that did not reach an operation is answered with the envelope alone. */
export interface ClientAnswer {
  envelope: Envelope;
  caller?: Caller;
  /** The sessions of the agents after the call, if the client remembers them. */
  sessions?: Record<string, string>;
  /** The session that child processes of the client inherit. */
  exported?: { session: string; isGraded: boolean };
  /** What `apply` of the operation writes in the checkout of the client. */
  apply?: Record<string, unknown>;
  /** The answer to a part of an operation that runs on the client. */
  part?: PartAnswer;
  /** The call that the fix of an error stands for, if a command line cannot express it. */
  call?: GatewayCall;
}

/** What the server found about the caller, or the result of a step. */
export interface PartAnswer {
  isGraded?: true;
  begun?: {
    job: number;
    now: string;
    caller: Caller;
    token: Pick<TokenIdentity, 'name' | 'scope' | 'agent'>;
    /** The policy of the project. */
    settings?: { key: string; value: string }[];
    session?: SessionHandle;
    isNamed?: true;
    activeSessions?: string[];
    isAmbiguous?: true;
  };
  step?: { result?: unknown; changes?: Changes };
}

/** A request for facts about the checkout of the client. */
export interface NeededFact {
  name: string;
  request: unknown;
}

/** Reads the answer of a server: the reply of the call, or what the client has to observe first. Then nothing was changed. */
export function readAnswer({ status, text }: ServerAnswer, url: string): ClientAnswer | { needs: NeededFact[] } {
  const body = parseJson(text);
  if (isPlainObject(body) && Array.isArray(body.needs) && body.needs.length > 0 && body.needs.every(isNeededFact))
    return { needs: body.needs };
  const answer = isPlainObject(body) && isPlainObject(body.envelope) ? body : { envelope: body };
  if (isEnvelope(answer.envelope) && !hasCommand(answer.envelope)) return answer as unknown as ClientAnswer;
  throw new CleoError('E_CONFIG_ERROR', {
    path: 'server.url',
    problem: `${url} answered with status ${status} and without an answer of cleo; it is not the address of a cleo server of this version`,
    fix: 'cleo config get server.url',
  });
}

const isNeededFact = (value: unknown): value is NeededFact => isPlainObject(value) && typeof value.name === 'string' && 'request' in value;

/** A shell evaluates `export`, so it must have nothing but assignments. */
const hasCommand = ({ export: lines }: Record<string, unknown>): boolean =>
  lines !== undefined && !/^(?:export CLEO_[A-Z_]+=[\w.:@/-]*(?:\n|$))+$/.test(String(lines));

const isEnvelope = (value: unknown): value is Envelope =>
  isPlainObject(value) && isPlainObject(value._meta) && typeof value.success === 'boolean';
