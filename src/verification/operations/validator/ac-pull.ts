import { array, boolean, description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { GateNameSchema, TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { fileDigests } from '#tasks/operations/shared/file-digests.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { ClaimedEvidenceSchema, GateViewSchema } from '../../model/verification.ts';
import { findNextGate, listClaimedEvidence } from '../../rules/gates.ts';
import { findStaleGates, readVerification, toGateViews } from '../shared/verification.ts';

export const validatorAcPull = query({
  name: 'validator.ac-pull',
  summary: 'Show the criteria of a task and the evidence for them',
  params: strictObject({ taskId: pipe(TaskIdSchema, description('The task')) }),
  result: strictObject({
    criteria: array(
      strictObject({
        n: number(),
        kind: picklist(['text', 'evidence_bound', 'child_task']),
        text: optional(string()),
        gate: optional(GateNameSchema),
        target: optional(string()),
        isMet: boolean(),
      }),
    ),
    taskId: string(),
    title: string(),
    round: number(),
    workers: array(string()),
    gates: array(GateViewSchema),
    claimed: optional(array(ClaimedEvidenceSchema)),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  observes: [fileDigests],
  cli: {
    command: ['validator pull', 'validator ac-pull'],
    args: ['taskId'],
    view: async () => (await import('../../view.ts')).verificationView,
  },
  example: { world: ['T001 accept parses|rejects', 'gate T001 implemented by ada'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store, caller } = ctx;
    const { task, rounds, held, attempts } = await readVerification(store, await requireTask(store, taskId));
    const workers = await store.gates.listWorkers(taskId);
    const own = task.acceptance.map((c) => ({
      kind: c.kind,
      ...defined({ text: c.text, gate: c.gate }),
      isMet: c.gate ? held.has(c.gate) : c.metAt !== undefined,
    }));
    const children = (await store.tasks.listChildren(taskId)).map(({ id, status }) => ({
      kind: 'child_task' as const,
      target: id,
      isMet: status === 'done',
    }));
    const gates = toGateViews(held, await findStaleGates(ctx, taskId, held)).filter(({ isHeld }) => isHeld);
    const next = findNextGate(held);
    const warnings = [
      ...(workers.includes(caller.agent) ? [`${caller.agent} did this work; another agent has to judge it`] : []),
      ...(next && next !== 'qaPassed' ? [`${next} has no evidence yet`] : []),
    ];
    const criteria = [...own, ...children].map((criterion, i) => ({ n: i + 1, ...criterion }));
    const claimed = listClaimedEvidence(attempts);
    return answer(
      { criteria, taskId, title: task.title, round: rounds.round, workers, gates, ...(claimed.length ? { claimed } : {}) },
      { warnings },
    );
  },
});
