import { array, optional, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Omitted } from '#core/model/omitted.ts';
import { budgetParam, mostTokens } from '#core/page.ts';
import { clip, filled, type Section } from '#lib/budget.ts';
import { countedTo } from '#lib/page.ts';
import { estimateShown } from '#lib/tokens.ts';
import type { ReadStore } from '#store/port.ts';
import { TaskReceipt, Timestamp } from '#tasks/model/task.ts';
import { recommended } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { scopeText } from '#tasks/rules/scope.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { Handoff, type SessionRecord, SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { blockedInside } from '../shared/sessions.ts';

export const sessionBriefing = query({
  name: 'session.briefing',
  summary: 'Say where we are: session, last handoff, focus, what is next, blocked and to be decided',
  params: strictObject({ budget: budgetParam(1500) }),
  result: strictObject({
    briefing: strictObject({
      session: optional(SessionSummary),
      focus: optional(TaskReceipt),
      next: optional(Handoff.entries.next),
      blocked: optional(Handoff.entries.blocked),
      openDecisions: optional(array(strictObject({ id: string(), title: string() }))),
      handoff: optional(
        strictObject({
          sessionId: string(),
          scope: string(),
          endedAt: optional(Timestamp),
          note: optional(string()),
          decisions: optional(Handoff.entries.decisions),
          open: optional(Handoff.entries.open),
          done: optional(Handoff.entries.done),
        }),
      ),
      sessions: optional(array(strictObject({ id: string(), scope: string(), agent: string() }))),
    }),
    omitted: Omitted,
  }),
  errors: ['E_VALIDATION'],
  tier: 0,
  cli: { command: ['briefing', 'session briefing'], isPrompt: true },
  example: { world: ['T001 epic', 'T002 in T001: Write the parser', 'session session-1 epic:T001 by ada: Parser'], call: {} },
  async run(ctx, { budget }) {
    const { store, session, caller } = ctx;
    const focus = await store.claims.heldBy(caller);
    const last = await lastHandoff(store, session?.scope.root);
    const own = session && (await store.sessions.get(session.id));
    const task = focus && (await requireTask(store, focus.taskId));
    const open = await store.memory.openDecisions(mostOpen);
    const unread = open.length < mostOpen ? 0 : (await store.memory.count({ type: 'decision', state: 'proposed' }, countedTo)) - mostOpen;
    // What comes next and what is blocked are told as they are now, not as they were when the last session ended.
    const all = {
      note: last?.handoff?.note ? [last.handoff.note] : [],
      next: (await recommended(ctx, undefined, 3)).map(({ taskId, title }) => ({ id: taskId, title })),
      blocked: await blockedInside(store, session?.scope.root),
      openDecisions: open.map(({ id, title }) => ({ id, title })),
      decisions: last?.handoff?.decisions ?? [],
      open: last?.handoff?.open ?? [],
      sessions: (await store.sessions.active())
        .filter(({ id }) => id !== session?.id)
        .map(({ id, scope, startedBy }) => ({ id, scope: scopeText(scope), agent: startedBy })),
      done: last?.handoff?.done ?? [],
    };
    const show = last ? `cleo session show ${last.id}` : 'cleo session list';
    // A note that would take the room of everything else is cut.
    const note = all.note.map((text) => clip(text, Math.max(200, budget * 2)));
    const sections: Section<keyof typeof all>[] = [
      { name: 'note', items: note, isPart: note.map((text, i) => text !== all.note[i]), expand: show },
      { name: 'next', items: all.next, expand: 'cleo next' },
      { name: 'blocked', items: all.blocked, expand: 'cleo list --status blocked' },
      { name: 'openDecisions', items: all.openDecisions, more: unread, expand: 'cleo memory find --type decision --state proposed' },
      { name: 'decisions', items: all.decisions, expand: show },
      { name: 'open', items: all.open, expand: show },
      { name: 'sessions', items: all.sessions, expand: 'cleo session list --status active' },
      { name: 'done', items: all.done, expand: show },
    ];
    /** Of a name and a title no more than this is told. */
    const told = (length: number) =>
      filled(sections, budget, {
        build(kept: Record<string, number>, omitted) {
          const some = <K extends keyof typeof all>(...names: K[]) =>
            Object.fromEntries(names.flatMap((name) => ((kept[name] ?? 0) > 0 ? [[name, all[name].slice(0, kept[name])]] : []))) as Partial<
              Pick<typeof all, K>
            >;
          return {
            briefing: {
              ...(own ? { session: shortNamed(summaryOf(own), 'name', length) } : {}),
              ...(task ? { focus: shortNamed(receiptOf(task, ['priority', 'startedAt']), 'title', length) } : {}),
              ...some('next', 'blocked', 'openDecisions'),
              ...(last
                ? { handoff: { ...headOf(last), ...(kept.note ? { note: note[0] ?? '' } : {}), ...some('decisions', 'open', 'done') } }
                : {}),
              ...some('sessions'),
            },
            ...(omitted.length > 0 ? { omitted } : {}),
          };
        },
        tokensOf: (answer) => estimateShown(ctx.toOutput(answer)),
        cost: (value) => estimateShown(JSON.stringify(value)) + 1,
        rest: (count) => ({
          section: 'rest',
          count,
          expand: ctx.commandAs(['briefing', '--budget', String(Math.min(mostTokens, budget * 4))]),
        }),
      });
    let found = told(200);
    if (!('answer' in found)) found = told(20);
    if ('answer' in found) return found.answer;
    const { least } = found;
    throw new CleoError('E_VALIDATION', {
      field: 'budget',
      problem: `must be at least ${least} here`,
      fix: ctx.commandWith({ budget: least }),
    });
  },
});

const mostOpen = 50;

const shortNamed = <T extends object, K extends keyof T>(fields: T, name: K, length: number): T =>
  typeof fields[name] === 'string' ? { ...fields, [name]: clip(fields[name] as string, length) } : fields;

/** That of the same scope; where there is none, the latest of all. */
const lastHandoff = async (store: ReadStore, root: string | undefined): Promise<SessionRecord | undefined> =>
  (root === undefined ? undefined : await store.sessions.lastHandoff(root)) ?? store.sessions.lastHandoff(undefined);

const headOf = ({ id, scope, endedAt }: SessionRecord) => ({ sessionId: id, scope: scopeText(scope), ...(endedAt ? { endedAt } : {}) });
