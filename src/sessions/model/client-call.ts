import {
  array,
  boolean,
  type InferOutput,
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  unknown,
  variant,
} from 'valibot';

const ShortText = pipe(string(), maxLength(1000, 'must have at most 1000 characters'));
const identityEntries = { kind: picklist(['named', 'conversation', 'mark', 'person']), agent: ShortText, client: optional(ShortText) };

/** The caller as the environment and the processes of its own machine describe it. */
const ClientCallerSchema = object({
  identity: object({ ...identityEntries, nested: optional(array(object(identityEntries))) }),
  session: optional(ShortText),
  /** The name and id of the machine, where the call observes something. */
  host: optional(ShortText),
  /** The process of the agent client, where the call needs it. */
  process: optional(object({ client: ShortText, pid: number(), startTime: ShortText, key: ShortText })),
  grade: object({ isEnabled: boolean(), id: optional(ShortText) }),
  /** The session that each agent of a stdio server last started or resumed. */
  sessions: optional(record(ShortText, ShortText)),
  validatorSecret: optional(ShortText),
  /** The mark of an agent in the environment of a call that looks like a person's. */
  mark: optional(ShortText),
});
export type ClientCaller = InferOutput<typeof ClientCallerSchema>;

const FactSchema = object({ name: ShortText, request: unknown(), facts: unknown() });

/** An error of the client, as its envelope shows it. */
const ClientErrorSchema = object({
  code: ShortText,
  exitCode: pipe(number(), integer(), minValue(1), maxValue(255)),
  message: string(),
  fix: string(),
  alternatives: optional(array(object({ action: string(), command: string() }))),
  details: optional(record(string(), unknown())),
});

const Ids = array(string());
const PartKey = pipe(string(), maxLength(100, 'must have at most 100 characters'));

/** The part of an operation with steps that the server does, because the operation itself runs on the client. A part that writes has a key,
 *  so that it has one effect if its answer is lost. */
const CallPartSchema = variant('action', [
  object({ action: literal('begin'), key: PartKey }),
  object({ action: literal('step'), key: PartKey, name: ShortText, params: unknown(), job: optional(number()) }),
  object({
    action: literal('finish'),
    key: PartKey,
    job: optional(number()),
    durationMs: number(),
    error: optional(ClientErrorSchema),
    /** The outcome of a success. */
    exit: optional(number()),
    isDryRun: optional(literal(true)),
    changes: optional(object({ created: Ids, updated: Ids, deleted: Ids })),
    result: optional(record(string(), unknown())),
    warnings: optional(array(string())),
    logParams: optional(record(string(), unknown())),
  }),
]);
export type CallPart = InferOutput<typeof CallPartSchema>;

/** The body of `POST /api/call/<operation>`: a call of a cleo client whose store is behind this server. With a `part` it is that of
 *  `POST /api/part/<operation>`. */
export const ClientCallSchema = object({
  params: unknown(),
  gateway: picklist(['cli', 'cleo_query', 'cleo_mutate']),
  kind: optional(picklist(['query', 'mutate'])),
  /** The agent and the session that the call itself names. */
  agent: optional(ShortText),
  session: optional(ShortText),
  idempotencyKey: optional(ShortText),
  /** Counts from 1. The client repeats a call whose answer was lost. */
  attempt: pipe(number(), integer(), minValue(1)),
  /** The client chose the key itself, so that it can repeat the call. */
  isOwnKey: optional(literal(true)),
  conversation: optional(object({ client: ShortText, id: ShortText })),
  paths: optional(record(ShortText, string())),
  warnings: optional(array(string())),
  isObserver: optional(literal(true)),
  /** The key of the project that the client means. */
  project: optional(ShortText),
  /** What the client observed in its checkout. */
  facts: optional(array(FactSchema)),
  /** The client could not observe what the call needs. The server logs the call as failed. */
  observeError: optional(ClientErrorSchema),
  /** The operation runs on the client, which asks for a part of it. */
  part: optional(CallPartSchema),
  caller: ClientCallerSchema,
});
export type ClientCall = InferOutput<typeof ClientCallSchema>;

/** The body of `POST /api/lease`: a stdio server renews the claims of its caller, or marks it as away. */
export const LeaseCallSchema = object({
  state: picklist(['renew', 'away']),
  caller: object({ agent: ShortText, session: optional(ShortText), process: optional(ShortText) }),
  project: optional(ShortText),
});
export type LeaseCall = InferOutput<typeof LeaseCallSchema>;
