import { array, description, metadata, optional, picklist, pipe, record, strictObject, string, unknown } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Omitted } from '#core/model/omitted.ts';
import { budgetParam, maxTokens } from '#core/page.ts';
import { clipText, fitAnswer, type Section } from '#lib/budget.ts';
import { defined } from '#lib/collections.ts';
import { formatHookOutput } from '#lib/hook-output.ts';
import { maxCounted } from '#lib/page.ts';
import { estimateAnswerTokens } from '#lib/tokens.ts';
import type { ReadStore } from '#store/port/store.ts';
import { TaskReceiptSchema, Timestamp } from '#tasks/model/task.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { hookClients } from '../../model/agent-clients.ts';
import { HandoffSchema, type SessionRecord, SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { listBlockedTasks } from '../shared/sessions.ts';

export const sessionBriefing = query({
  name: 'session.briefing',
  summary: 'Show session, focus, next and blocked tasks, last handoff',
  params: strictObject({
    budget: budgetParam(1500),
    hook: optional(
      pipe(
        picklist(hookClients),
        description('Run by a hook of this client: read its JSON from standard input, print what it adds to the conversation'),
        metadata({ isRare: true }),
      ),
    ),
    input: optional(
      pipe(
        record(string(), unknown()),
        description('JSON that the client passes to its hook; names the conversation'),
        metadata({ isRare: true }),
      ),
    ),
  }),
  result: strictObject({
    briefing: strictObject({
      session: optional(SessionSummarySchema),
      focus: optional(TaskReceiptSchema),
      next: optional(HandoffSchema.entries.next),
      blocked: optional(HandoffSchema.entries.blocked),
      openDecisions: optional(HandoffSchema.entries.next),
      handoff: optional(
        strictObject({
          sessionId: string(),
          scope: string(),
          endedAt: optional(Timestamp),
          note: optional(string()),
          decisions: optional(HandoffSchema.entries.decisions),
          open: optional(HandoffSchema.entries.open),
          done: optional(HandoffSchema.entries.done),
        }),
      ),
      sessions: optional(array(strictObject({ id: string(), scope: string(), agent: string() }))),
    }),
    omitted: Omitted,
    text: optional(string()),
  }),
  errors: ['E_VALIDATION'],
  tier: 0,
  hookInput: 'input',
  cli: {
    command: ['briefing', 'session briefing'],
    read: { input: { as: 'json', isPiped: 'hook' } },
    raw: 'text',
    isPrompt: true,
    view: async () => (await import('../../view.ts')).sessionView,
  },
  example: { world: ['T001 epic', 'T002 in T001: Write the parser', 'session session-1 epic:T001 by ada: Parser'], call: {} },
  async run(ctx, { budget, hook, input }) {
    const { store, session, caller, now } = ctx;
    const focus = await store.claims.getHeldBy(caller);
    const last = await findLastHandoff(store, session?.scope.root);
    const own = session && (await store.sessions.get(session.id));
    const task = focus && (await requireTask(store, focus.taskId));
    const open = await store.memory.listOpenDecisions(maxOpenDecisions);
    const unread =
      open.length < maxOpenDecisions
        ? 0
        : (await store.memory.count({ type: 'decision', state: 'proposed' }, maxCounted)) - maxOpenDecisions;
    // Next and blocked tasks are read now; those in the last handoff may be outdated.
    const all = {
      note: last?.handoff?.note ? [last.handoff.note] : [],
      next: (await recommendTasks(ctx, undefined, 3)).map(({ taskId, title }) => ({ id: taskId, title })),
      blocked: await listBlockedTasks(store, session?.scope.root),
      openDecisions: open.map(({ id, title }) => ({ id, title })),
      decisions: last?.handoff?.decisions ?? [],
      open: last?.handoff?.open ?? [],
      sessions: (await store.sessions.listActive())
        .filter(({ id }) => id !== session?.id)
        .map(({ id, scope, startedBy }) => ({ id, scope: formatScope(scope), agent: startedBy })),
      done: last?.handoff?.done ?? [],
    };
    const show = last ? `cleo session show ${last.id}` : 'cleo session list';
    // A long note is clipped, so that it leaves room for the other sections.
    const note = all.note.map((text) => clipText(text, Math.max(200, budget * 2)));
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
    const buildBriefing = (maxNameLength: number) =>
      fitAnswer(sections, budget, {
        build(kept: Record<string, number>, omitted) {
          const pickKept = <K extends keyof typeof all>(...names: K[]) =>
            Object.fromEntries(names.flatMap((name) => ((kept[name] ?? 0) > 0 ? [[name, all[name].slice(0, kept[name])]] : []))) as Partial<
              Pick<typeof all, K>
            >;
          return {
            briefing: {
              ...(task ? { focus: clipField(toTaskReceipt(task, ['priority', 'startedAt']), 'title', maxNameLength) } : {}),
              ...(own ? { session: clipField(toSessionSummary(own), 'name', maxNameLength) } : {}),
              ...pickKept('next', 'blocked', 'openDecisions'),
              ...(last
                ? {
                    handoff: {
                      sessionId: last.id,
                      scope: formatScope(last.scope),
                      ...defined({ endedAt: last.endedAt }),
                      ...(kept.note ? { note: note[0] ?? '' } : {}),
                      ...pickKept('decisions', 'open', 'done'),
                    },
                  }
                : {}),
              ...pickKept('sessions'),
            },
            ...(omitted.length > 0 ? { omitted } : {}),
          };
        },
        countTokens: (answer) => estimateAnswerTokens(ctx.toOutput(answer)),
        estimateCost: (value) => estimateAnswerTokens(JSON.stringify(value)) + 1,
        omitRest: (count) => ({
          section: 'rest',
          count,
          expand: ctx.commandAs(['briefing', '--budget', String(Math.min(maxTokens, budget * 4))]),
        }),
      });
    let built = buildBriefing(200);
    if (!('answer' in built)) built = buildBriefing(20);
    if ('answer' in built) {
      if (hook === undefined) return built.answer;
      const { formatBriefing } = await import('../../view.ts');
      return { ...built.answer, text: formatHookOutput(formatBriefing(built.answer, now), hook, input) };
    }
    throw new CleoError('E_VALIDATION', {
      field: 'budget',
      problem: `must be at least ${built.minBudget} for this briefing`,
      fix: ctx.commandWith({ budget: built.minBudget }),
    });
  },
});

const maxOpenDecisions = 50;

const clipField = <T extends object, K extends keyof T>(fields: T, name: K, maxLength: number): T =>
  typeof fields[name] === 'string' ? { ...fields, [name]: clipText(fields[name] as string, maxLength) } : fields;

/** Finds the latest session with a handoff for this scope, else the latest of all. */
const findLastHandoff = async (store: ReadStore, root: string | undefined): Promise<SessionRecord | undefined> =>
  (root === undefined ? undefined : await store.sessions.getLastHandoff(root)) ?? store.sessions.getLastHandoff(undefined);
