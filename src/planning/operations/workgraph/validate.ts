import { boolean, description, number, optional, pipe, strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
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
  }),
  errors: ['E_VALIDATION'],
  tier: 1,
  maxBodyBytes: 32 << 20,
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
    const toPreview = () => ({ created: created.map(() => ''), updated: updated.map(() => ''), deleted: [...deleted].map(() => '') });
    return answer(
      {
        workgraph: {
          isValid: true,
          isApplied: applied !== undefined,
          wouldCreate: created.length,
          wouldUpdate: updated.length,
          wouldDelete: deleted.size,
          wouldRelate: relations.length,
        },
      },
      dryRun ? { preview: toPreview() } : {},
    );
  },
});
