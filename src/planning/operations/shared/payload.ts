import { description, metadata, pipe, unknown } from 'valibot';

/** Accepts any value, because `checkPayload` reports all problems at once with their pointers. */
export const Payload = pipe(
  unknown(),
  description('WorkGraph {version: 1, create, update, delete, relations}; see schemas/workgraph.schema.json'),
  metadata({ jsonSchema: { type: 'object' }, value: 'FILE' }),
);

export const payloadInput = { payload: { flag: 'file', as: 'json' as const } };
