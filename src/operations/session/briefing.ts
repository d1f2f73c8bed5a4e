import { array, description, integer, maxValue, minValue, number, optional, pipe, strictObject, string } from 'valibot';
import { Handoff, type SessionRecord, SessionSummary } from '../../model/session.ts';
import { TaskReceipt, Timestamp } from '../../model/task.ts';
import { withinBudget } from '../../rules/budget.ts';
import { scopeText } from '../../rules/scope.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { estimateTokens } from '../../rules/tokens.ts';
import { receiptOf } from '../../rules/view.ts';
import type { ReadStore } from '../../store/port.ts';
import { query } from '../define.ts';
import { recommended } from '../tasks/recommend.ts';
import { requireTask } from '../tasks/require.ts';
import { blockedInside } from './sessions.ts';

export const sessionBriefing = query({
  name: 'session.briefing',
  summary: 'Say where we are: session, last handoff, focus, what comes next, what is in the way',
  params: strictObject({
    budget: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(500, 'must be at least 500'),
        maxValue(100_000, 'must be at most 100000'),
        description('Tokens that the answer may have'),
      ),
      1500,
    ),
  }),
  result: strictObject({
    briefing: strictObject({
      session: optional(SessionSummary),
      focus: optional(TaskReceipt),
      next: optional(Handoff.entries.next),
      blocked: optional(Handoff.entries.blocked),
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
    omitted: optional(array(strictObject({ section: string(), count: number(), expand: string() }))),
  }),
  errors: [],
  tier: 0,
  cli: { command: ['briefing', 'session briefing'], isPrompt: true },
  example: { world: ['T001 epic', 'T002 in T001: Write the parser', 'session session-1 epic:T001 by ada: Parser'], call: {} },
  async run(here, { budget }) {
    const { store, session, caller } = here;
    const focus = await store.claims.heldBy(caller);
    const last = await lastHandoff(store, session?.scope.root);
    const own = session && (await store.sessions.get(session.id));
    const frame = {
      ...(own ? { session: summaryOf(own) } : {}),
      ...(focus ? { focus: receiptOf(await requireTask(store, focus.taskId), ['priority', 'startedAt']) } : {}),
    };
    // What comes next and what is blocked are told as they are now, not as they were when the last session ended.
    const all = {
      note: last?.handoff?.note ? [last.handoff.note] : [],
      next: (await recommended(here, undefined, 3)).map(({ taskId, title }) => ({ id: taskId, title })),
      blocked: await blockedInside(store, session?.scope.root),
      decisions: last?.handoff?.decisions ?? [],
      open: last?.handoff?.open ?? [],
      sessions: (await store.sessions.active())
        .filter(({ id }) => id !== session?.id)
        .map(({ id, scope, startedBy }) => ({ id, scope: scopeText(scope), agent: startedBy })),
      done: last?.handoff?.done ?? [],
    };
    const show = last ? `cleo session show ${last.id}` : 'cleo session list';
    const { kept, omitted } = withinBudget(
      [
        { name: 'note', items: all.note, expand: show },
        { name: 'next', items: all.next, expand: 'cleo next' },
        { name: 'blocked', items: all.blocked, expand: 'cleo list --status blocked' },
        { name: 'decisions', items: all.decisions, expand: show },
        { name: 'open', items: all.open, expand: show },
        { name: 'sessions', items: all.sessions, expand: 'cleo session list --status active' },
        { name: 'done', items: all.done, expand: show },
      ],
      budget - estimateTokens(JSON.stringify(frame)) - forEnvelope,
      (value) => estimateTokens(JSON.stringify(value)) + 1,
    );
    const some = <K extends keyof typeof all>(...names: K[]) =>
      Object.fromEntries(names.flatMap((name) => (kept[name] > 0 ? [[name, all[name].slice(0, kept[name])]] : []))) as Partial<
        Pick<typeof all, K>
      >;
    return {
      briefing: {
        ...frame,
        ...some('next', 'blocked'),
        ...(last
          ? { handoff: { ...headOf(last), ...(kept.note ? { note: all.note[0] } : {}), ...some('decisions', 'open', 'done') } }
          : {}),
        ...some('sessions'),
      },
      ...(omitted.length > 0 ? { omitted } : {}),
    };
  },
});

/** What stands around the content: `_meta`, the names of the keys, the head of the handoff. */
const forEnvelope = 200;

/** That of the same scope; where there is none, the latest of all. */
const lastHandoff = async (store: ReadStore, root: string | undefined): Promise<SessionRecord | undefined> =>
  (root === undefined ? undefined : await store.sessions.lastHandoff(root)) ?? store.sessions.lastHandoff(undefined);

const headOf = ({ id, scope, endedAt }: SessionRecord) => ({ sessionId: id, scope: scopeText(scope), ...(endedAt ? { endedAt } : {}) });
