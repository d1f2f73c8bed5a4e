import type { JobContext, ScopeRequest } from './define.ts';
import type { PersonScope } from './model/token.ts';

/** Requires a person who has read these lines on the terminal. Returns false if they are others than those that the person has confirmed:
 *  the operation runs again after the proof, and what it is about can have changed until then. */
export function requireReader(
  { requireScope, platform, proof }: Pick<JobContext, 'requireScope' | 'platform' | 'proof'>,
  scope: PersonScope,
  request: ScopeRequest & { preview: string[] },
): boolean {
  const lines = request.preview.join('\n');
  const previews = shownPreviews.get(platform) ?? new Map<string, string>();
  shownPreviews.set(platform, previews);
  const shown = previews.get(request.subject);
  previews.set(request.subject, lines);
  requireScope(scope, request);
  previews.delete(request.subject);
  return proof?.via === 'token' || shown === undefined || shown === lines;
}

/** The lines that a person of this process reads, by subject. */
const shownPreviews = new WeakMap<object, Map<string, string>>();
