import { safeParse } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import type { FactRequest, Observation, ObserveContext } from '#core/observation.ts';
import { isPlainObject } from '#lib/collections.ts';
import { type CallContext, type ClientFact, createContext, FactsMissing, runGuarded } from './call-context.ts';
import type { Outcome } from './dispatch.ts';

/** Returns facts that are observed, or ends the run. */
export async function getFacts<Q, F>(ctx: CallContext, observation: Observation<Q, F>, request: Q): Promise<F> {
  const known = ctx.facts?.get(toFactKey(observation.name, request));
  if (known) return known.facts as F;
  if (observation.isQuick && !ctx.call.clientFacts)
    return runGuarded(ctx, () => observation.observe(createContext(ctx, { isDryRun: false }) as never, request));
  ctx.missingFacts ??= [];
  ctx.missingFacts.push({ observation, request });
  throw new FactsMissing(ctx.missingFacts);
}

const toFactKey = (name: string, request: unknown): string => `${name} ${JSON.stringify(request)}`;

/** Writes what `run` returned for the files of the caller. What the client of this server has to write is left to it; files that are shared
 *  records are written here too, so that the store gets them. */
export async function applyOutcome(ctx: CallContext, params: Record<string, unknown>, { options, isDryRun }: Outcome): Promise<void> {
  const { app, call, operation } = ctx;
  if (isDryRun && !operation.appliesInDryRun) return;
  if (call.clientFacts) ctx.clientApply = options.apply!;
  if (!call.clientFacts || (operation.shares && app.hasSharedStore()))
    await runGuarded(ctx, async () => operation.apply!(createContext(ctx, {}) as never, params as never, options.apply!));
}

/** Observes what the run of an operation asked for. The facts of a client are not observed here: it has to send them. */
export async function observeMissing(ctx: CallContext, missing: FactsMissing): Promise<void> {
  if (ctx.call.clientFacts) throw missing;
  const facts = await observeAll(ctx, missing.requests);
  prepareNextRun(ctx);
  // Each run can ask for facts that depend on the store as it is then.
  if ((ctx.facts?.size ?? 0) + facts.length > maxFacts)
    throw new CleoError('E_LOCK_TIMEOUT', {
      waitedMs: Math.round(ctx.app.platform.monotonicMs() - ctx.startedAt),
      path: ctx.operation.name,
      problem: `${ctx.operation.name} asked for more than ${maxFacts} facts, because the store changes all the time`,
    });
  addFacts(ctx, facts);
}

const maxFacts = 1000;

/** Observes what follows from the parameters of the call, before its first run. */
export async function observeFirst(ctx: CallContext, params: Record<string, unknown>): Promise<void> {
  if (ctx.call.clientFacts || ctx.facts) return;
  const requests = ctx.operation.observeFirst?.(params as never) ?? [];
  if (requests.length > 0) addFacts(ctx, await observeAll(ctx, requests));
}

/** Observes facts in the checkout of this process. */
export async function observeAll(ctx: CallContext, requests: FactRequest[]): Promise<ClientFact[]> {
  const isDryRun = isPlainObject(ctx.call.params) && ctx.call.params.dryRun === true;
  const context = createContext(ctx, { isDryRun }) as unknown as ObserveContext;
  const facts: ClientFact[] = [];
  for (const { observation, request } of requests)
    facts.push({ name: observation.name, request, facts: await runGuarded(ctx, () => observation.observe(context, request as never)) });
  return facts;
}

/** Validates the facts that a client sent and makes them available to the run. */
export function readClientFacts(ctx: CallContext, received: ClientFact[]): void {
  for (const { name, request, facts } of received) {
    const observation = ctx.operation.observes?.find((each) => each.name === name);
    // A client of another version may observe more than this server asks for.
    if (!observation) continue;
    const parsed = safeParse(observation.facts, facts);
    if (!parsed.success)
      throw new CleoError('E_VALIDATION', { field: 'facts', problem: `${name}: ${parsed.issues[0].message}`, fix: 'cleo version' });
    addFacts(ctx, [{ name, request, facts: parsed.output }]);
  }
}

function addFacts(ctx: CallContext, facts: ClientFact[]): void {
  ctx.facts ??= new Map();
  for (const fact of facts) ctx.facts.set(toFactKey(fact.name, fact.request), fact);
}

/** Forgets what the run that was rolled back found out about the caller. Its records of the caller were rolled back too. */
function prepareNextRun(ctx: CallContext): void {
  ctx.hasRun = true;
  delete ctx.missingFacts;
  delete ctx.isIdentified;
}
