import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { Signing } from '#platform/signing/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Coverage, ProofLevel, SignedHead, Signer } from '../../model/signed-head.ts';
import { type ChainState, chainStart, endChain, stepChain, toProjectIdentity } from '../../rules/audit-chain.ts';
import {
  abbreviateKey,
  type CheckedHead,
  compareHeads,
  formatSignatureGaps,
  headsFile,
  isBelowLevel,
  parseHeads,
  parseSigner,
  type SignatureGap,
  sshNamespace,
  stepSignatureGaps,
  toEntryText,
  toSignedText,
} from '../../rules/audit-heads.ts';
import '../../errors.ts';
import { type LocalFacts, readLocalFacts } from './local-facts.ts';

/** Heads that were found outside this machine. */
export interface HeadSource {
  name: string;
  text: string;
}

export interface LogProofContext {
  platform: Platform;
  project: Project;
  config: Pick<Config, 'audit.signers' | 'project.key'>;
}

/** Keys that count: those given, otherwise `audit.signers` and the key of this user or server. */
export function listSigners({ config }: Pick<LogProofContext, 'config'>, signing: Signing, given?: string[]): Signer[] {
  const parse = (text: string, field: string): Signer => {
    const signer = parseSigner(text);
    if (!signer)
      throw new CleoError('E_VALIDATION', {
        field,
        problem: `${JSON.stringify(text.slice(0, 60))} is not a public key; write it as in the output of cleo audit keys`,
        fix: 'cleo audit keys',
      });
    return signer;
  };
  if (given) return given.map((text) => parse(text, 'signer'));
  const listed = config['audit.signers'].map((text) => parse(text, 'audit.signers'));
  const own = findOwnKey(signing);
  return own && !listed.some(({ publicKey }) => publicKey === own) ? [...listed, { name: 'this machine', publicKey: own }] : listed;
}

/** Returns the public key of this user. A key that cannot be used does not prevent verification. */
function findOwnKey(signing: Signing): string | undefined {
  try {
    return signing.find()?.publicKey;
  } catch {
    return undefined;
  }
}

/** The state of the log: its chain, and the heads that cover it. */
export interface LogProof {
  entries: number;
  head: string;
  replica: string;
  level: ProofLevel;
  signed?: Coverage;
  anchored?: Coverage;
  warnings: string[];
  broken?: { seq: number; problem: string };
}

const batchSize = 2000;

/** Follows the chain from the first entry to the head and compares it with the signed heads, up to the first problem. */
export async function inspectLog(
  ctx: LogProofContext,
  store: ReadStore,
  { sources = [], signers: given, hasSignatures = true }: { sources?: HeadSource[]; signers?: string[]; hasSignatures?: boolean } = {},
): Promise<LogProof> {
  const { platform, project, config } = ctx;
  const { sha256 } = platform;
  const local = hasSignatures ? (platform.files.readText(`${project.folder}/${headsFile}`) ?? '') : '';
  const found = [
    ...parseHeads(local).heads.map((head) => ({ head, source: undefined })),
    ...sources.flatMap(({ name, text }) => parseHeads(text).heads.map((head) => ({ head, source: name }))),
  ];
  const facts = readLocalFacts(platform, project);
  const { replica, engine } = await store.audit.getStoreFacts();
  const hashes = new Map<number, string>(found.map(({ head }) => [head.seq, '']));
  if (facts?.auditHead) hashes.set(facts.auditHead.seq, '');
  let state: ChainState = chainStart;
  const entrySignatures = new Map<string, { seq: number; hash: string; signature: string; at: string }>();
  const gaps: SignatureGap[] = [];
  for (;;) {
    const links = await store.audit.listLinks(state.seq, batchSize);
    for (const link of links) {
      state = stepChain(state, link, sha256);
      if (hashes.has(link.seq)) hashes.set(link.seq, link.hash);
      stepSignatureGaps(gaps, link.seq, link.signature !== undefined, entrySignatures.size > 0);
      if (!link.signature) continue;
      const [fingerprint = '', signature = ''] = link.signature.split(':');
      entrySignatures.set(fingerprint, { seq: link.seq, hash: link.hash, signature, at: link.columns[2] ?? '' });
    }
    if (state.broken || links.length < batchSize) break;
  }
  state = endChain(state, await store.audit.getHead(), toProjectIdentity(config['project.key'], replica));
  const proof = { entries: state.seq, head: state.hash, replica };
  const broken = state.broken ?? findForeignStore(facts?.engine === engine ? facts : undefined, proof, hashes);
  if (broken) return { ...proof, level: 'unsigned', warnings: [], broken };
  if (found.length === 0 && entrySignatures.size === 0) return { ...proof, level: 'unsigned', warnings: [] };
  const signing = await platform.loadSigning();
  const signers = listSigners(ctx, signing, given);
  const { heads, unknown } = await checkSignatures(platform, signers, found);
  for (const { publicKey, name } of signers) {
    const entry = entrySignatures.get(sha256(publicKey).slice(0, 16));
    if (!entry) continue;
    hashes.set(entry.seq, entry.hash);
    heads.push({
      head: { kind: 'head', project: '', replica, seq: entry.seq, hash: entry.hash, at: entry.at },
      signer: { name, publicKey },
      isValid: signing.verify(publicKey, toEntryText(entry.seq, entry.hash), entry.signature),
    });
  }
  const coverage = compareHeads({ ...proof, hashes }, heads, { local: headsFile });
  const warnings = [...(unknown.length > 0 ? [formatUnknownSigners(unknown)] : []), ...[formatSignatureGaps(gaps) ?? []].flat()];
  return { ...proof, ...coverage, warnings: [...coverage.warnings, ...warnings] };
}

const formatUnknownSigners = (keys: string[]): string =>
  `${keys.length === 1 ? 'a key that is' : `${keys.length} keys that are`} not in audit.signers signed this log (${keys.map(abbreviateKey).slice(0, 3).join(', ')}); their signatures do not count`;

/** Compares the store with the facts that `.cleo/local.json` recorded about it. */
function findForeignStore(
  facts: LocalFacts | undefined,
  { entries, replica }: { entries: number; replica: string },
  hashes: Map<number, string>,
): LogProof['broken'] {
  if (!facts) return undefined;
  if (facts.replica !== replica)
    return { seq: 1, problem: `belongs to the store ${replica}, but the store of this checkout is ${facts.replica}` };
  const { auditHead } = facts;
  if (!auditHead) return undefined;
  if (auditHead.seq > entries)
    return { seq: entries + 1, problem: `is missing: this checkout has recorded ${auditHead.seq} entries in local.json` };
  return hashes.get(auditHead.seq) === auditHead.hash
    ? undefined
    : { seq: auditHead.seq, problem: 'is not the one that local.json recorded; the log was rebuilt' };
}

/** Checks the signatures of records by trusted keys. Records of other keys do not count. */
export async function checkSignatures(
  platform: SignaturePlatform,
  signers: Signer[],
  found: { head: SignedHead; source: string | undefined }[],
): Promise<{ heads: CheckedHead[]; unknown: string[] }> {
  const heads: CheckedHead[] = [];
  const unknown = new Set<string>();
  for (const { head, source } of found) {
    const signer = signers.find(({ publicKey }) => publicKey === head.signer);
    if (!signer) unknown.add(head.signer);
    else heads.push({ head, signer, isValid: await verifySignature(platform, head), ...(source === undefined ? {} : { source }) });
  }
  return { heads, unknown: [...unknown] };
}

/** Checks the signature of a head or a statement with the key that it names. */
export async function verifySignature(platform: SignaturePlatform, record: { signer: string; signature: string }): Promise<boolean> {
  const { signer, signature } = record;
  if (signer.startsWith('ed25519:')) return (await platform.loadSigning()).verify(signer, toSignedText(record), signature);
  const ssh = await platform.loadSshSignatures();
  const signed = { signers: [`signer ${signer}`], namespace: sshNamespace, text: toSignedText(record), signature };
  return (await ssh.verify(signed)).isValid;
}

type SignaturePlatform = Pick<Platform, 'loadSigning' | 'loadSshSignatures'>;

/** Throws if the log is broken, and names the first broken entry. */
export function requireIntact(proof: LogProof): LogProof {
  const { broken } = proof;
  if (!broken) return proof;
  throw new CleoError('E_CHECKSUM_MISMATCH', {
    what: 'the audit log',
    problem: `entry ${broken.seq} ${broken.problem}`,
    // An empty log shows nothing.
    fix: proof.entries === 0 ? 'cleo doctor' : 'cleo log',
    seq: broken.seq,
    level: 'broken',
  });
}

/** Throws if the level of a log or a grade is lower than required. */
export function requireLevel(what: string, level: string, required: ProofLevel | undefined, fix?: string): void {
  if (!required || !isBelowLevel(level, required)) return;
  throw new CleoError('E_LOG_UNPROVEN', {
    what,
    level,
    required,
    fix: fix ?? (level === 'unsigned' ? 'cleo audit sign' : 'cleo audit anchor --push'),
  });
}
