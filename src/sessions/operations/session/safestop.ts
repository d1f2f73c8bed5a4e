import { boolean, description, optional, pipe, strictObject } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { NoteText } from '#core/model/scalars.ts';
import { TaskReceipt, type TaskRecord } from '#tasks/model/task.ts';
import { notesOf } from '#tasks/operations/shared/build.ts';
import { release } from '#tasks/operations/shared/moves.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { Handoff, SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { closed, releaseAll } from '../shared/closing.ts';
import { isAnothers, ownSession } from '../shared/sessions.ts';

export const sessionSafestop = mutation({
  name: 'session.safestop',
  summary: 'Stop safely before the context runs out: note the focus, hand over, end the session',
  params: strictObject({
    reason: optional(pipe(NoteText, description('Why, and how far the work has come; for whoever goes on'))),
    keep: optional(pipe(boolean(), description('Keep the claim and only suspend the session, to go on oneself'))),
  }),
  result: strictObject({ session: optional(SessionSummary), task: optional(TaskReceipt), handoff: optional(Handoff) }),
  errors: ['E_SESSION_REQUIRED'],
  tier: 1,
  cli: { command: ['safestop', 'session safestop'] },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: { reason: 'The context is nearly full' } },
  async run(ctx, { reason, keep }) {
    const { store, session, activeSessions } = ctx;
    const text = reason ?? 'Stopped safely';
    if ((!session && !activeSessions) || (await isAnothers(ctx))) return stopAlone(ctx, text, keep === true);
    const own = await ownSession(ctx, 'stop');
    if (own.status !== 'active') return noChange({ session: summaryOf(own), ...(own.handoff ? { handoff: own.handoff } : {}) });
    const task = (await noteFocus(ctx, text))?.task;
    if (!keep) await releaseAll(ctx, own.id);
    const stopped = await closed(ctx, own, keep ? 'suspended' : 'ended', text);
    const left = task && (await requireTask(store, task.id));
    return { session: summaryOf(stopped), ...(left ? { task: receiptOf(left) } : {}), handoff: stopped.handoff };
  },
});

/** Outside of any session: the focus is all there is to stop. */
async function stopAlone(ctx: MutationContext, text: string, isKept: boolean) {
  const focus = await noteFocus(ctx, text);
  if (!focus) return noChange({});
  if (!isKept) return { task: receiptOf(await release(ctx, focus.task)) };
  const result = { task: receiptOf(focus.task) };
  return focus.isNew ? result : noChange(result);
}

/** Writes down where the focus was left; what was said last is not said again. */
async function noteFocus(ctx: MutationContext, text: string): Promise<{ task: TaskRecord; isNew: boolean } | undefined> {
  const focus = await ctx.store.claims.heldBy(ctx.caller);
  if (!focus) return undefined;
  const task = await requireTask(ctx.store, focus.taskId);
  const last = (await ctx.store.tasks.notes([task.id])).get(task.id)?.at(-1);
  const notes = notesOf(ctx, text).filter((note) => note.text !== last?.text || note.by !== last.by);
  for (const note of notes) await ctx.store.tasks.appendNote(task, note);
  return { task, isNew: notes.length > 0 };
}
