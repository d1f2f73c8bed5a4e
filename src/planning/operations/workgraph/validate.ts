import { boolean, description, literal, number, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { checkPayload, Payload, payloadInput } from '../shared/check-payload.ts';

export const workgraphValidate = query({
  name: 'workgraph.validate',
  summary: 'Check a WorkGraph and report all problems',
  params: strictObject({
    payload: Payload,
    dryRun: optional(pipe(boolean(), description('Accepted for symmetry with apply; validate never writes'))),
  }),
  result: strictObject({
    workgraph: strictObject({
      isValid: boolean(),
      isApplied: boolean(),
      wouldCreate: number(),
      wouldUpdate: number(),
      wouldDelete: number(),
      wouldRelate: number(),
    }),
    /** The receipt of a dry run, as `workgraph apply --dry-run` gives it. */
    data: optional(
      strictObject({
        dryRun: literal(true),
        count: number(),
        wouldCreate: number(),
        wouldUpdate: number(),
        wouldDelete: number(),
        insertedCount: literal(0),
      }),
    ),
  }),
  errors: ['E_VALIDATION'],
  tier: 1,
  cli: { command: 'workgraph validate', read: payloadInput },
  example: {
    world: ['T001 epic'],
    call: {
      payload: {
        version: 1,
        create: [
          { ref: 'parse', type: 'task', title: 'Write the parser', parent: 'T001', acceptance: ['reads the grammar'] },
          { ref: 'test', type: 'task', title: 'Test the parser', parent: 'T001', depends: ['parse'] },
        ],
      },
    },
  },
  async run(ctx, { payload, dryRun }) {
    const { created, updated, deleted, relations, applied } = await checkPayload(ctx, payload);
    const counts = { wouldCreate: created.length, wouldUpdate: updated.length, wouldDelete: deleted.size };
    const count = counts.wouldCreate + counts.wouldUpdate + counts.wouldDelete;
    return {
      workgraph: { isValid: true, isApplied: applied !== undefined, ...counts, wouldRelate: relations.length },
      ...(dryRun ? { data: { dryRun: true as const, count, ...counts, insertedCount: 0 as const } } : {}),
    };
  },
});
