import { description, metadata, pipe, unknown } from 'valibot';

/** Anything at all: what is wrong with it is told with its place, and all at once. */
export const Payload = pipe(
  unknown(),
  description('The WorkGraph: {version: 1, create, update, delete, relations}; its form is in schemas/workgraph.schema.json'),
  metadata({ jsonSchema: { type: 'object' }, value: 'FILE' }),
);

export const readsPayload = { payload: { flag: 'file', as: 'json' as const } };
