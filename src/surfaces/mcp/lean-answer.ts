import type { Envelope, Meta } from '#dispatch/dispatch.ts';

/** An envelope in two parts: what a model reads, and what it knows already. `joinAnswer` in the tests puts them together again. */
interface LeanAnswer {
  answer: Record<string, unknown>;
  /** The parts that are left out of the answer. */
  omitted: { success?: true; _meta: Partial<Meta> };
}

/** Splits an envelope for a model, which pays for every byte in every later request. Left out are `success: true`, and of `_meta` what the
 *  caller knows: the operation and the key of its result, the time, the version, and a session that has not changed. */
export function toLeanAnswer({ _meta, success, ...result }: Envelope, knownSession: string | undefined): LeanAnswer {
  const { command, timestamp, version, resultsField, sessionId, ...news } = _meta;
  const isKnown = sessionId === knownSession;
  const meta = { ...(isKnown || sessionId === undefined ? {} : { sessionId }), ...news };
  return {
    answer: { ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}), ...(success ? {} : { success }), ...result },
    omitted: {
      ...(success ? { success } : {}),
      _meta: { command, timestamp, version, ...(resultsField ? { resultsField } : {}), ...(isKnown && sessionId ? { sessionId } : {}) },
    },
  };
}
