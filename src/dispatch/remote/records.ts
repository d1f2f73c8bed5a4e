import { safeParse } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { type RecordCall, RecordCallSchema } from '#core/model/record-call.ts';
import type { FileRecordKind, SharedRecord } from '#core/model/shared-records.ts';
import { getRecordLimit, getRecordScope } from '#core/rules/shared-records.ts';
import { mayActAs, toTokenAgent } from '#core/rules/token-agent.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';
import type { NewRecord, SharedRecordReads, SharedRecordWrites } from '#store/port/shared-records.ts';
import type { TokenIdentity } from '../authenticate.ts';
import { type App, requireProject } from '../call-context.ts';
import { expiringKinds } from '../record-kinds.ts';
import { type ClientRequest, checkClient } from './receive-call.ts';
import { sendRecords } from './send-call.ts';

/** Answers a client that makes its files equal to the store. Undefined if the store of this server is not one that machines share: then the
 *  records are files. Like a lease this is no operation; records have the agent that stored them. */
export async function answerRecords(app: App, { body, token, version }: Omit<ClientRequest, 'operation'>): Promise<unknown> {
  const parsed = safeParse(RecordCallSchema, body);
  if (!parsed.success) {
    const field = parsed.issues[0].path?.map(({ key }) => key).join('.') ?? 'body';
    throw new CleoError('E_VALIDATION', { field, problem: parsed.issues[0].message, fix: 'cleo version' });
  }
  const { project, agent, request } = parsed.output;
  checkClient(app.platform, version, project);
  if (!app.hasSharedStore()) return undefined;
  const isWrite = request.action === 'save' || request.action === 'remove';
  if (!isWrite)
    return (await app.openStore('read')).read(async ({ records }) => {
      if (request.action === 'read') return records.readContents(request.kind, request.names);
      return Object.fromEntries(await Promise.all(request.kinds.map(async (kind) => [kind, await records.list(kind)] as const)));
    });
  requireRecordScope(token, request);
  const stamp = { at: app.platform.now(), by: mayActAs(token, agent) ? agent : toTokenAgent(token, agent) };
  const outdated: string[] = [];
  await (await app.openStore('write')).write(stamp, async ({ records }) => {
    outdated.splice(0);
    if (request.action === 'remove') return records.remove(request.kind, request.names);
    const checked = request.records.map(checkContent(app));
    const current = new Map((await records.list(request.kind)).map(({ name, hash }) => [name, hash]));
    // Another client may have changed a record since this one read the list.
    const isOutdated = ({ name, hash, expected }: NewRecord): boolean =>
      expected !== undefined && current.get(name) !== hash && (current.get(name) ?? null) !== expected;
    outdated.push(...checked.filter(isOutdated).map(({ name }) => name));
    await records.save(
      request.kind,
      checked.filter((record) => !isOutdated(record)),
    );
    const days = app.platform.config.load(requireProject(app.platform))['store.recordDays'];
    const limit = expiringKinds.includes(request.kind) ? getRecordLimit(stamp.at, days) : undefined;
    if (limit !== undefined) await records.omitBefore(request.kind, limit);
  });
  return outdated;
}

type SentChange = Extract<RecordCall['request'], { action: 'save' | 'remove' }>;

/** Rejects a change that the command which makes it would not allow this token. */
function requireRecordScope(token: TokenIdentity, request: SentChange): void {
  const { kind } = request;
  const changes =
    request.action === 'remove'
      ? [{ kind, isRemoval: true, isReplacement: false, content: undefined }]
      : request.records.map(({ stored, replaces }) => ({
          ...{ kind, isRemoval: false, isReplacement: replaces !== undefined },
          content: stored && Buffer.from(stored.content, stored.encoding).toString(),
        }));
  const missing = changes.map(getRecordScope).find((scope) => !includesScope(token.scope, scope));
  if (missing === undefined && includesScope(token.scope, 'mutate')) return;
  const action = request.action === 'remove' ? 'remove' : 'store';
  throw new CleoError('E_FORBIDDEN', {
    problem: `Token ${token.name} has scope ${token.scope}; to ${action} these ${kind} needs scope ${missing ?? 'mutate'}`,
    fix: 'cleo whoami',
    scope: missing ?? 'mutate',
  });
}

type SentRecord = Extract<RecordCall['request'], { action: 'save' }>['records'][number];

/** Rejects a content that is not the one that its hash names. */
const checkContent =
  ({ platform: { sha256 } }: App) =>
  ({ stored, replaces, expected, ...record }: SentRecord): NewRecord => {
    if (stored && sha256(Buffer.from(stored.content, stored.encoding)) !== record.hash)
      throw new CleoError('E_CHECKSUM_MISMATCH', {
        what: `record ${record.name}`,
        problem: 'has another hash than its content',
        fix: 'cleo doctor',
      });
    return { ...record, ...defined({ stored, replaces, expected }) };
  };

/** Thrown by a read if the records are not shared by this server. */
export class RecordsNotShared extends Error {
  override name = 'RecordsNotShared';
}

/** Returns the records of the server in front of the store. Each call is a request. */
export function openServerRecords(app: App, agent: string): SharedRecordReads & SharedRecordWrites {
  const send = async (request: RecordCall['request']): Promise<unknown> => {
    const answer = await sendRecords(app, { agent, request });
    if (answer === undefined) throw new RecordsNotShared('the server has records in files');
    return answer;
  };
  /** The kinds that are listed in one turn of the event loop are one request. */
  let listing: { kinds: FileRecordKind[]; answer: Promise<Record<string, SharedRecord[]>> } | undefined;
  const list = async (kind: FileRecordKind): Promise<SharedRecord[]> => {
    if (!listing) {
      const kinds: FileRecordKind[] = [];
      const answer = Promise.resolve().then(() => {
        listing = undefined;
        return send({ action: 'list', kinds }) as Promise<Record<string, SharedRecord[]>>;
      });
      listing = { kinds, answer };
    }
    listing.kinds.push(kind);
    return (await listing.answer)[kind] ?? [];
  };
  return {
    list: (kind) => list(kind as FileRecordKind),
    readContents: async (kind, names) => (await send({ action: 'read', kind: kind as never, names })) as never,
    listSettings: () => Promise.reject(new Error('a client reads the settings with those of its server')),
    save: async (kind, records) => (await send({ action: 'save', kind: kind as never, records: records as never })) as string[],
    remove: async (kind, names) => void (await send({ action: 'remove', kind: kind as never, names })),
    // The server does that when it stores a record.
    omitBefore: async () => {},
    clear: () => Promise.reject(new Error('a client does not clear the records of a server')),
  };
}
