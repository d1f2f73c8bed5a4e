import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';

/** Tokens whose ETags are stored for a page. People who share a store have one each. */
const maxTokens = 8;

/** GitHub computes an ETag from the response and the token, so that the one of another token never matches. `stored` has one per token. */
export function findEtag(stored: string | undefined, token: string): string | undefined {
  return parseEtags(stored).find(([name]) => name === token)?.[1];
}

/** Adds the ETag of a page that was read. Those of other tokens stay only if the page is the same: they are about an earlier one. */
export function addEtag(
  stored: string | undefined,
  { token, etag, isSamePage }: { token: string; etag: string | undefined; isSamePage: boolean },
): string | undefined {
  const others = isSamePage ? parseEtags(stored).filter(([name]) => name !== token) : [];
  const etags = [...others, ...(etag === undefined ? [] : [[token, etag] as const])].slice(-maxTokens);
  return etags.length === 0 ? undefined : JSON.stringify(Object.fromEntries(etags));
}

function parseEtags(stored: string | undefined): [token: string, etag: string][] {
  const value = stored === undefined ? undefined : parseJson(stored);
  return isPlainObject(value) ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [];
}
