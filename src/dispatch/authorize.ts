import { formatCommand, listCommandNames } from '#core/command-line.ts';
import type { Operation, ScopeRequest } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import type { PersonScope } from '#core/model/token.ts';
import { getRequiredScope, includesScope, type ScopedOperation } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';
import type { MissingProof, PersonProof, ProofSubject } from '#sessions/model/person-proof.ts';
import type { ProofContext } from '#sessions/operations/shared/prove-person.ts';
import { authenticate, type TokenIdentity } from './authenticate.ts';
import type { CallContext, ScopeRequired } from './call-context.ts';

/** Creates the error of a token that does not allow an operation. It has one message for all operations. */
export function createTokenError(
  operation: ScopedOperation & Partial<Pick<Operation, 'cli'>>,
  token: TokenIdentity,
  name: string,
): CleoError {
  const required = getRequiredScope(operation);
  const isForToken = required === 'query' || required === 'mutate';
  const command =
    isForToken && !operation.usesHost
      ? `cleo token create --name client-${required} --scope ${required}`
      : `cleo ${operation.cli ? [operation.cli.command].flat()[0] : name}`;
  const problem = token.name === anonymousToken ? undefined : `This needs a token that allows more: ${describeToken(token)}`;
  return new CleoError('E_FORBIDDEN', { fix: askPerson(command), scope: token.scope, ...defined({ problem }) });
}

/** Proves the scope that the definition of an operation requires. */
export async function authorizeOperation(ctx: CallContext, params: Record<string, unknown>): Promise<void> {
  const { operation } = ctx;
  const name = operation.subject ?? operation.cli.args?.[0];
  const subject = name === undefined ? undefined : params[name];
  const request = { subject: subject === undefined ? operation.name.split('.').at(-1)! : String(subject) };
  await authorize(ctx, { scope: getRequiredScope(operation) as PersonScope, request }, params);
}

/** Gives the caller the scope: by a token in the environment or by the proof of a person. Throws if it has neither. */
export async function authorize(
  ctx: CallContext,
  { scope, request }: Pick<ScopeRequired, 'scope' | 'request'>,
  params: Record<string, unknown>,
): Promise<void> {
  const { call, operation } = ctx;
  if (call.token && !call.page) throw await createScopeError(ctx, scope, request, params, { problem: describeToken(call.token) });
  const token = request.isOfUser ? undefined : await readEnvironmentToken(ctx, params);
  if (token && includesScope(token.scope, scope)) {
    ctx.granted = token.scope;
    ctx.proof = { via: 'token', token: token.name };
    return;
  }
  if (token) throw await createScopeError(ctx, scope, request, params, { problem: `in CLEO_TOKEN, ${describeToken(token)}` });
  const action = request.action ?? describeAction(operation);
  const { subject: id, content, preview } = request;
  const proof = await prove(ctx, defined({ id, operation: operation.name, action, params, content, preview }));
  if (!proof.isProved) {
    const error = await createScopeError(ctx, scope, request, params, proof);
    // The page asks for the passphrase, or shows the command to run at a terminal.
    if (call.page)
      Object.assign(error.details, {
        reason: 'proof',
        proof: proof.method,
        command: await formatPersonCommand(ctx, params, request.command),
      });
    throw error;
  }
  ctx.granted = 'admin';
  ctx.proof = { via: proof.via, evidence: proof.evidence };
}

async function prove(ctx: CallContext, subject: ProofSubject): Promise<PersonProof | MissingProof> {
  const { provePerson, proveReader } = await import('#sessions/operations/shared/prove-person.ts');
  ctx.call.beforeAsk?.();
  return (ctx.operation.kind === 'query' ? proveReader : provePerson)(toProofContext(ctx), subject);
}

const toProofContext = ({ app, call, caller, now }: CallContext): ProofContext => ({
  platform: app.platform,
  gateway: call.gateway,
  caller,
  now,
  ...defined({ page: call.page }),
});

/** Checks whether the caller could get the scope, without asking a person for a proof. */
export async function mayHaveScope(ctx: CallContext, scope: PersonScope): Promise<boolean> {
  const { call, granted, app } = ctx;
  if (includesScope(granted ?? call.token?.scope ?? 'mutate', scope)) return true;
  // The scope of a client is that of its token.
  if (call.token || ctx.ownToken) return false;
  if (call.gateway === 'cli' && app.platform.token !== undefined && !(await findAgentMark(ctx))) return true;
  const { findMissingProof } = await import('#sessions/operations/shared/prove-person.ts');
  return (await findMissingProof(toProofContext(ctx))) === undefined;
}

/** Finds the mark of an agent in the environment, or the name of one. */
export async function findAgentMark({ call, app: { platform } }: Pick<CallContext, 'call' | 'app'>): Promise<string | undefined> {
  if (call.agent !== undefined) return `--agent ${call.agent}`;
  if (platform.identity.kind === 'named') return `CLEO_AGENT_ID=${platform.identity.agent}`;
  return (await platform.loadTerminal()).marks.find(({ kind, pid }) => kind === 'agent' && pid === undefined)?.name;
}

/** Finds the token of CLEO_TOKEN. An agent inherits the environment of the person who started it, so its token is ignored there; MCP and
 *  HTTP ignore it because the environment of a server is not that of its callers. */
async function readEnvironmentToken(ctx: CallContext, params: Record<string, unknown>): Promise<TokenIdentity | undefined> {
  const { call, app } = ctx;
  const { platform } = app;
  if (call.gateway !== 'cli' || platform.token === undefined) return undefined;
  const warn = (reason: string): void => {
    ctx.warnings = [...(ctx.warnings ?? []), `CLEO_TOKEN is ignored: ${reason}`];
  };
  const mark = await findAgentMark(ctx);
  if (mark) {
    warn(`${mark} is the mark of an agent`);
    return undefined;
  }
  if (!platform.getProject()) {
    warn('there is no project');
    return undefined;
  }
  if (!(await isTrustedIssuer(ctx, params))) {
    const [variable, what] = platform.serverUrl === undefined ? ['CLEO_DATABASE_URL', 'database'] : ['CLEO_SERVER', 'server'];
    warn(`${variable} names a ${what} that this user has not trusted, so what it says about a token does not count here`);
    return undefined;
  }
  try {
    const found = await authenticate(app, platform.token, { acceptsEarlier: ctx.operation.acceptsEarlierStore ?? false });
    if (!found) warn('this project has no such token, or it is revoked');
    return found;
  } catch (error) {
    // A damaged store has no tokens; a person at a terminal can still restore it.
    if (!(error instanceof CleoError)) throw error;
    // A person who trusts the project now does not have to know that it was not trusted.
    if (error.row !== 'E_PROJECT_UNTRUSTED' || !ctx.operation.acceptsUntrusted) warn(error.message);
    return undefined;
  }
}

/** False if the tokens are those of a server or a database that only a variable names: any program can start one that calls every token
 *  admin. A store decides about itself; settings and trust of this machine need a person, or the address that the project uses. */
async function isTrustedIssuer(
  { app: { platform, usesServer }, operation }: CallContext,
  params: Record<string, unknown>,
): Promise<boolean> {
  const { serverUrl, databaseUrl } = platform;
  const address = serverUrl ?? databaseUrl;
  if (address === undefined) return true;
  const isAboutStore = operation.needs === 'store' || operation.acceptsEarlierStore || operation.shares || operation.isAboutStore?.(params);
  if (!usesServer() && isAboutStore) return true;
  const project = platform.getProject();
  const key = serverUrl === undefined ? 'store.url' : 'server.url';
  if (!project || platform.config.load(project)[key] !== address) return false;
  try {
    await (await platform.loadTrust()).requireTrusted(project, { keys: [key] });
    return true;
  } catch (error) {
    if (error instanceof CleoError && error.row === 'E_PROJECT_UNTRUSTED') return false;
    throw error;
  }
}

const describeToken = ({ name, scope, mark }: TokenIdentity): string =>
  `token ${name} has scope ${scope}${mark ? ` here, because ${mark} is the mark of an agent` : ''}`;
const describeAction = (operation: Operation): string => listCommandNames(operation)[0] ?? operation.name;

/** Creates the error of a caller without the scope. It offers the call to a person, because the caller cannot make it. */
async function createScopeError(
  ctx: CallContext,
  scope: PersonScope,
  request: ScopeRequest,
  params: Record<string, unknown>,
  { problem, hint }: { problem: string; hint?: string },
): Promise<CleoError> {
  if (request.createError) return request.createError(problem, hint);
  const fix = askPerson(await formatPersonCommand(ctx, params, request.command));
  return new CleoError('E_FORBIDDEN', {
    problem: `${request.action ?? describeAction(ctx.operation)} needs a person, or a token of scope ${scope}: ${problem}`,
    fix,
    scope,
    ...(hint ? { manual: `${fix}. ${hint}` } : {}),
  });
}

/** Formats the command that a person runs instead of the caller. */
export async function formatPersonCommand(
  { call, operation }: Pick<CallContext, 'call' | 'operation'>,
  params: Record<string, unknown>,
  command?: string,
): Promise<string> {
  // The command repeats a value of the caller, such as an address with a password.
  const { redactText } = await import('#lib/redact.ts');
  const flags = call.session ? ['--session', call.session] : [];
  const line = command ?? formatCommand(operation, params, flags, call.paths);
  // Control characters cannot be typed again, and a terminal would obey them.
  return redactText(/[\0-\x1f]/.test(line) ? `cleo help ${listCommandNames(operation)[0] ?? operation.name}` : line);
}
