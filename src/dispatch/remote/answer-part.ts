import type { StoreStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import { isServerSetting } from '#core/rules/shared-settings.ts';
import { defined } from '#lib/collections.ts';
import type { CallPart } from '#sessions/model/client-call.ts';
import '#store/errors.ts';
import { safeParse } from 'valibot';
import type { WriteStore } from '#store/port/store.ts';
import { type CallContext, createContext, identify, toStamp } from '../call-context.ts';
import type { Outcome } from '../dispatch.ts';
import { appendEntry, logQuery } from '../log.ts';
import { abandonJob, checkPolicy, finishJob, startJob } from '../write.ts';
import { rebuildError } from './error-fields.ts';
import type { PartAnswer } from './server-answer.ts';

/** Does the part of an operation that its client asks for: it records the start of a job, makes one step, or logs the outcome. */
export async function answerPart(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { call, operation } = ctx;
  const { part } = call;
  const outcome: Outcome = { result: {}, options: {} };
  // Without parts it would run here, with the files and programs of this machine.
  if (!part) throw createVersionError(ctx, `the client is older and does not run ${operation.name} itself`);
  if (part.action === 'begin') {
    await checkPolicy(ctx);
    const begun = await writeOnce(ctx, part.key, (writes) => startJob(ctx, writes, params));
    if (typeof begun !== 'number') return begun;
    ctx.partAnswer = { ...describeGrade(ctx), begun: { job: begun, ...describeCaller(ctx) } };
    return outcome;
  }
  if (part.action === 'step') {
    // The client reports the outcome of the whole call, which is logged once.
    ctx.isLogged = true;
    const step = await makeStep(ctx, part);
    ctx.partAnswer = { ...describeGrade(ctx), step };
    return outcome;
  }
  await finishCall(ctx, part, params);
  ctx.partAnswer = describeGrade(ctx);
  return outcome;
}

const describeGrade = ({ isGraded }: CallContext): Pick<PartAnswer, 'isGraded'> => (isGraded ? { isGraded } : {});

function describeCaller(ctx: CallContext): Omit<NonNullable<PartAnswer['begun']>, 'job'> {
  const { now, caller, session, isNamed, activeSessions, isAmbiguous } = ctx;
  const { name, scope, agent } = ctx.call.token!;
  const { platform } = ctx.app;
  const settings = Object.entries(platform.config.load(platform.getProject()))
    .filter(([key]) => isServerSetting(key))
    .map(([key, value]) => ({ key, value: JSON.stringify(value) }));
  return {
    now,
    caller,
    settings,
    token: { name, scope, ...defined({ agent }) },
    ...defined({ session, isNamed, activeSessions, isAmbiguous }),
  };
}

async function makeStep(ctx: CallContext, part: Extract<CallPart, { action: 'step' }>): Promise<NonNullable<PartAnswer['step']>> {
  const { operation, app } = ctx;
  const step = operation.steps?.find(({ name }) => name === part.name);
  if (!step) throw createVersionError(ctx, `${operation.name} has no step ${part.name.slice(0, 50)} here`);
  const parsed = safeParse(step.params, part.params);
  if (!parsed.success) throw new CleoError('E_VALIDATION', { field: 'part', problem: parsed.issues[0].message, fix: 'cleo version' });
  const run = (store: object): Promise<unknown> =>
    (step as StoreStep).run(createContext(ctx, { store, isDryRun: false }) as never, parsed.output as never);
  if (step.kind === 'read')
    return (await app.openStore('read')).read(async (reads) => {
      await identify(ctx, reads);
      return { result: await run(reads) };
    });
  const write = async (writes: WriteStore): Promise<{ result: unknown; changes: Changes }> => {
    await identify(ctx, writes, writes);
    // A job of hours may be taken for one that was interrupted, and its agents must not lose their claims for that.
    if (!step.isLease) await requireJob(ctx, writes, part.job);
    return { result: await run(writes), changes: writes.changes };
  };
  return step.isRepeatable || step.isLease ? (await app.openStore('write')).write(toStamp(ctx), write) : writeOnce(ctx, part.key, write);
}

const createVersionError = ({ app, call }: CallContext, problem: string): CleoError =>
  new CleoError('E_SERVER_VERSION', {
    server: 'this address',
    found: app.platform.version,
    own: call.clientFacts?.version ?? 'of another version',
    problem,
  });

/** A write belongs to a job that the same operation has started, so that each is followed by an entry in the log. */
async function requireJob({ operation }: CallContext, writes: WriteStore, job: number | undefined): Promise<void> {
  if (operation.needs !== 'store') return;
  const jobs = await writes.health.listStartedJobs();
  if (jobs.some(({ id, operation: name }) => id === job && name === operation.name)) return;
  throw new CleoError('E_VALIDATION', { field: 'job', problem: `${job} of ${operation.name} is not running`, fix: 'cleo log --limit 5' });
}

/** Logs the outcome of the call, and ends its job. An error of the client is the answer, as if the operation had failed here. */
async function finishCall(ctx: CallContext, part: Extract<CallPart, { action: 'finish' }>, params: Record<string, unknown>): Promise<void> {
  const { job, error, result = {}, exit, warnings, logParams, changes, isDryRun, durationMs } = part;
  ctx.startedAt -= durationMs;
  if (error) {
    if (job !== undefined) await (await ctx.app.openStore('write')).write(toStamp(ctx), (writes) => abandonJob(ctx, writes, job));
    throw rebuildError(error);
  }
  if (ctx.operation.kind === 'query') {
    await (await ctx.app.openStore('read')).read((reads) => identify(ctx, reads));
    return logQuery(ctx, exit ?? 0);
  }
  const options = defined({ exit: exit as Outcome['options']['exit'], warnings, logParams });
  const outcome: Outcome = { result, options, ...defined({ changes, isDryRun }) };
  await writeOnce(ctx, part.key, async (writes) => {
    await identify(ctx, writes, writes);
    if (job !== undefined) return finishJob(ctx, writes, job, params, outcome);
    if (logParams) ctx.logParams = logParams;
    await appendEntry(ctx, writes, exit ?? 0, changes);
  });
}

/** Runs a write of a client once, also if the client sends it again because the answer was lost. */
async function writeOnce<T>(ctx: CallContext, key: string, work: (writes: WriteStore) => Promise<T>): Promise<T> {
  const { app, operation, call, now } = ctx;
  return (await app.openStore('write')).write(toStamp(ctx), async (writes) => {
    const stored = call.part!.attempt > 1 ? await writes.keys.get(operation.name, key) : undefined;
    if (stored?.answer !== undefined) {
      await identify(ctx, writes, writes);
      return (JSON.parse(stored.answer) as { value: T }).value;
    }
    const value = await work(writes);
    await writes.keys.save(operation.name, key, { paramsHash: '', at: now, answer: JSON.stringify({ value }) });
    return value;
  });
}
