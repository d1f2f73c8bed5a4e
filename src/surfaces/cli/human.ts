import type { Envelope } from '../../dispatch/envelope.ts';

export function humanText(envelope: Envelope, _screen: { columns: number; hasColour: boolean }): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}
