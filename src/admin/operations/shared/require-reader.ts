import type { JobContext, ScopeRequest } from '#core/define.ts';

/** Requires a person who has read these lines. Returns false if they are others than those that the person has confirmed: the operation
 *  runs again after the proof, and the files can have changed until then. */
export function requireReader(
  { requireScope }: Pick<JobContext, 'requireScope'>,
  params: object,
  { preview, ...request }: ScopeRequest & { preview: string[] },
): boolean {
  const lines = preview.join('\n');
  const shown = previews.get(params);
  previews.set(params, lines);
  requireScope('admin', { ...request, content: preview, preview });
  return shown === undefined || shown === lines;
}

/** The lines that the person has confirmed, by the parameters of the call. */
const previews = new WeakMap<object, string>();
