import { type InferOutput, picklist } from 'valibot';

/** What a token allows: to ask, to write as well, or everything. */
export const TokenScope = picklist(['query', 'mutate', 'admin']);
export type TokenScope = InferOutput<typeof TokenScope>;
