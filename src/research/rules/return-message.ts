import type { ResearchStatus } from '../model/manifest.ts';

const endings: Record<ResearchStatus, string> = {
  complete: 'complete. See MANIFEST.jsonl for summary.',
  partial: 'partial. See MANIFEST.jsonl for details.',
  blocked: 'blocked. See MANIFEST.jsonl for blocker details.',
};

/** Formats the return message of a subagent. It has no content; that is in the file that the manifest names. */
export const formatReturnMessage = (type: string, status: ResearchStatus): string => `${type} ${endings[status]}`;

/** Parses a return message; undefined if it does not have one of the three forms. The type may be in brackets: `[Research] complete. …`. */
export function parseReturnMessage(message: string): { type: string; status: ResearchStatus } | undefined {
  const text = message.trim();
  for (const [status, ending] of Object.entries(endings) as [ResearchStatus, string][]) {
    const given = text.endsWith(` ${ending}`) ? text.slice(0, -ending.length - 1) : '';
    const type = /^\[(.*)\]$/.exec(given)?.[1] ?? given;
    if (/^[A-Z][A-Za-z]*(?:[ -][A-Za-z]+){0,3}$/.test(type)) return { type, status };
  }
  return undefined;
}
