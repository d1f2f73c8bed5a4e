import { safeParse } from 'valibot';
import { isPlainObject } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import { parseJson } from '#lib/parse-json.ts';
import { type Coverage, type ProofLevel, proofLevels, type SignedHead, SignedHeadSchema, type Signer } from '../model/signed-head.ts';

/** Namespace of SSH signatures of the log, so that a signature made for something else does not count. */
export const sshNamespace = 'cleo-audit';

/** File below `.cleo`. */
export const headsFile = 'audit-heads.jsonl';

/** The text that a signature covers: everything but the signature, with sorted keys. */
export function toSignedText({ signature: _, ...record }: { signature?: unknown; [name: string]: unknown }): string {
  return `cleo-audit\n${toCanonicalJson(record)}`;
}

/** The text that a server signs for each entry. The hash covers the entry, those before it, and the project. */
export const toEntryText = (seq: number, hash: string): string => `cleo-audit entry ${seq} ${hash}`;

/** Parses lines of heads, or the answer of a server with a list of them. Other lines, such as conflict markers, are counted. */
export function parseHeads(text: string): { heads: SignedHead[]; invalidLines: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const heads = lines.flatMap((line) => {
    const value = parseJson(line);
    const listed: unknown[] = isPlainObject(value) && Array.isArray(value.heads) ? value.heads : [value];
    return listed.flatMap((one) => {
      const { success, output } = safeParse(SignedHeadSchema, one);
      return success ? [output] : [];
    });
  });
  return { heads, invalidLines: Math.max(0, lines.length - heads.length) };
}

const signerPattern =
  /^(?:(?<name>\S+)\s+)??(?<key>ed25519:[A-Za-z0-9+/]{43}=|(?:ssh|ecdsa|sk)-[\w@.-]+\s+[A-Za-z0-9+/]+={0,2})(?:\s+(?<comment>.+))?$/;

/** Parses a public key with an optional name in front of it or, as in SSH keys, behind it. */
export function parseSigner(text: string): Signer | undefined {
  const { name, key, comment } = signerPattern.exec(text.trim())?.groups ?? {};
  if (!key) return undefined;
  const publicKey = key.replace(/\s+/, ' ');
  return { publicKey, name: name ?? comment ?? abbreviateKey(publicKey) };
}

/** Shortens a public key for messages. Keys of one type begin alike, so the end is shown. */
export const abbreviateKey = (publicKey: string): string => `…${publicKey.replace(/=+$/, '').slice(-12)}`;

/** A head whose signature was checked. */
export interface CheckedHead {
  head: Pick<SignedHead, 'kind' | 'replica' | 'project' | 'seq' | 'hash' | 'at' | 'lost'>;
  signer: Signer;
  isValid: boolean;
  /** The name of the file, remote or server outside this machine that has the head. Absent for heads of this checkout. */
  source?: string;
}

/** The signed part of a verified log. */
interface LogCoverage {
  level: ProofLevel;
  signed?: Coverage;
  anchored?: Coverage;
  /** Segments that were lost with a damaged store. */
  warnings: string[];
  broken?: { seq: number; problem: string };
}

/** Compares signed heads with a log whose chain is intact. `hashes` has the hash of each entry that a head names.
 *  A trusted head that the log does not contain means that the log was rebuilt, cut or replaced after it was signed. */
export function compareHeads(
  log: { entries: number; replica: string; hashes: Map<number, string> },
  heads: CheckedHead[],
  places: { local: string },
): LogCoverage {
  const warnings: string[] = [];
  const own = heads.filter(({ head }) => head.replica === log.replica);
  for (const { head, signer, isValid, source } of heads)
    if (!isValid)
      return fail(head.seq, `has a head in ${source ?? places.local} that was changed: it is not what ${signer.name} signed`, warnings);
  const foreign = heads.find(({ head, source }) => source === undefined && head.replica !== log.replica);
  if (foreign)
    return fail(
      1,
      `belongs to the store ${log.replica}, but ${places.local} has heads of ${foreign.head.replica}; another database was put in place`,
      warnings,
    );
  const segments = own.filter(({ head }) => head.kind === 'segment');
  for (const { head, signer } of segments)
    if (head.lost && head.lost.seq > head.seq)
      warnings.push(`entries ${head.seq + 1} to ${head.lost.seq} were lost with a damaged store at ${head.at} (signed by ${signer.name})`);
  const isReplaced = ({ head }: CheckedHead): boolean => segments.some(({ head: cut }) => head.seq > cut.seq && head.at <= cut.at);
  const valid = own.filter((checked) => checked.head.kind === 'segment' || !isReplaced(checked));
  for (const { head, signer } of valid) {
    const found = head.seq === 0 ? head.hash : log.hashes.get(head.seq);
    if (head.seq > log.entries)
      return fail(log.entries + 1, `is missing: ${signer.name} signed ${head.seq} entries at ${head.at}`, warnings);
    if (found !== head.hash)
      return fail(head.seq, `is not the one that ${signer.name} signed at ${head.at}; the log was rebuilt`, warnings);
  }
  const signed = findNewest(valid);
  const anchored = findNewest(valid.filter(({ source }) => source !== undefined));
  return {
    level: anchored ? 'anchored' : signed ? 'signed' : 'unsigned',
    ...(signed ? { signed } : {}),
    ...(anchored ? { anchored } : {}),
    warnings,
  };
}

const fail = (seq: number, problem: string, warnings: string[]): LogCoverage => ({ level: 'unsigned', warnings, broken: { seq, problem } });

function findNewest(heads: CheckedHead[]): Coverage | undefined {
  const newest = heads.reduce<CheckedHead | undefined>((best, one) => (best && best.head.seq >= one.head.seq ? best : one), undefined);
  if (!newest || newest.head.seq === 0) return undefined;
  const { head, signer, source } = newest;
  return { entries: head.seq, at: head.at, signer: signer.name, ...(source === undefined ? {} : { source }) };
}

/** Returns the strongest level that covers all entries up to `seq`. */
export function findLevelAt({ signed, anchored }: Pick<LogCoverage, 'signed' | 'anchored'>, seq: number): ProofLevel {
  if (anchored && anchored.entries >= seq) return 'anchored';
  return signed && signed.entries >= seq ? 'signed' : 'unsigned';
}

export const isBelowLevel = (level: string, required: ProofLevel): boolean =>
  (proofLevels as readonly string[]).indexOf(level) < proofLevels.indexOf(required);

/** A range of entries without a signature that follows a signed entry. */
export interface SignatureGap {
  from: number;
  to: number;
}

/** Adds an entry to the gaps. Entries before the first signature are left out: the signature covers them through the chain, and a
 *  project may be older than its server. */
export function stepSignatureGaps(gaps: SignatureGap[], seq: number, isSigned: boolean, hasSignatureBefore: boolean): void {
  if (isSigned || !hasSignatureBefore) return;
  const last = gaps.at(-1);
  if (last && last.to === seq - 1) last.to = seq;
  else gaps.push({ from: seq, to: seq });
}

const maxNamedGaps = 3;

/** Describes entries that a server has not signed although it signed others before them. Signatures are outside the chain, so removing
 *  them does not break it. */
export function formatSignatureGaps(gaps: SignatureGap[]): string | undefined {
  if (gaps.length === 0) return undefined;
  const named = gaps.slice(0, maxNamedGaps).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = gaps.length > maxNamedGaps ? ` and ${gaps.length - maxNamedGaps} more ranges` : '';
  const isOne = gaps.length === 1 && gaps[0]!.from === gaps[0]!.to;
  return `${isOne ? 'entry' : 'entries'} ${named.join(', ')}${more} ${isOne ? 'has' : 'have'} no signature, although a server signed earlier ones: written without the server, or the signatures were removed`;
}
