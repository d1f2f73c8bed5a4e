import { registry } from '../src/core/index.generated.ts';
import type { Envelope } from '../src/dispatch/envelope.ts';
import { humanText } from '../src/surfaces/cli/human/human.ts';

export const meta = { command: 'demo.show', timestamp: '2026-01-01T00:00:00.000Z', version: '1' };

/** A result as people read it, seen at midnight. */
export function shown(result: Record<string, unknown>, more: object = {}, columns = 80, hasColour = false): Promise<string> {
  const envelope: Envelope = { _meta: { ...meta, resultsField: Object.keys(result)[0]!, ...more }, success: true, ...result };
  return humanText(envelope, { columns, hasColour }, registry);
}
