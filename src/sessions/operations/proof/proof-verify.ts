import { array, description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { noData, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { toDecidedContent } from '#memory/rules/memory-view.ts';
import { findStatementProblem, type RecordedProof } from '../../rules/check-proof.ts';
import { decisionNamespace } from '../../rules/proof-statement.ts';
import { readSigners } from '../shared/prove-person.ts';

const Proof = strictObject({
  subject: string(),
  operation: optional(string()),
  at: optional(string()),
  seq: optional(number()),
  via: optional(string()),
  state: pipe(
    picklist(['signed', 'unlisted', 'recorded', 'missing', 'invalid']),
    description(
      'signed: valid signature of a key in decide.signers; unlisted: valid, but the key is not listed; recorded: the log says how the person was asked; missing: decided without a proof; invalid: does not verify',
    ),
  ),
  signer: optional(string()),
  fingerprint: optional(string()),
  problem: optional(string()),
});
type ProofResult = { subject: string; state: 'signed' | 'unlisted' | 'recorded' | 'missing' | 'invalid'; problem?: string };

export const adminProofVerify = query({
  name: 'admin.proof.verify',
  summary: 'Verify who proved to be a person, and how',
  params: strictObject({ id: optional(pipe(string(), description('Only proofs for this decision, token, setting or task'))) }),
  result: strictObject({ proofs: array(Proof) }),
  errors: ['E_CHECKSUM_MISMATCH'],
  tier: 1,
  cli: { command: 'proof verify', args: ['id'] },
  example: { world: ['memory decision: Tokens are structs'], call: {}, exit: 100 },
  async run(ctx, { id }) {
    const proofs: ProofResult[] = [];
    for (const recorded of await listRecorded(ctx)) {
      if (id !== undefined && recorded.subject !== id) continue;
      proofs.push(await checkProof(ctx, recorded));
    }
    const invalid = proofs.find(({ state }) => state === 'invalid');
    if (invalid)
      throw new CleoError('E_CHECKSUM_MISMATCH', {
        what: `the proof for ${invalid.subject}`,
        problem: invalid.problem ?? 'is not valid',
        fix: /^D-\d+$/.test(invalid.subject) ? `cleo memory fetch ${invalid.subject}` : 'cleo log',
      });
    return proofs.length === 0 ? noData({ proofs }) : { proofs };
  },
});

type Recorded = Omit<RecordedProof, 'evidence'> & Partial<Pick<RecordedProof, 'evidence'>> & { seq?: number };

/** Lists the proofs of the log, and those of decisions that another replica logged. */
async function listRecorded({ store, platform, registry }: QueryContext): Promise<Recorded[]> {
  const decisions = await store.memory.listDecided();
  const contents = new Map(decisions.map((one) => [one.id, platform.sha256(JSON.stringify(toDecidedContent(one)))]));
  const logged = (await store.audit.listProofs()).flatMap((entry) => {
    const recorded = toRecorded(entry, (name) => registry.find(name)?.name ?? name);
    return recorded ? [{ ...recorded, content: contents.get(recorded.subject) }] : [];
  });
  const kept = decisions.flatMap((decision): Recorded[] => {
    const at = decision.decidedAt ?? '';
    if (logged.some((one) => one.subject === decision.id && one.at === at)) return [];
    const proof = parseJson(decision.proof ?? '') as Partial<RecordedProof> | undefined;
    const content = contents.get(decision.id);
    return [
      {
        subject: decision.id,
        at,
        via: proof?.via ?? '',
        ...defined({ evidence: proof?.evidence, content }),
        operation: proof?.operation ?? '',
      },
    ];
  });
  return [...logged, ...kept];
}

function toRecorded(entry: AuditEntry, toName: (name: string) => string): Recorded | undefined {
  const principal = parseJson(entry.principal ?? '') as { via?: string; evidence?: Record<string, unknown> } | undefined;
  const { via, evidence } = principal ?? {};
  if (!via || typeof evidence?.subject !== 'string') return undefined;
  return {
    subject: evidence.subject,
    operation: toName(`${entry.domain}.${entry.operation}`),
    at: entry.timestamp,
    seq: entry.seq,
    via,
    evidence,
  };
}

async function checkProof({ platform }: QueryContext, recorded: Recorded): Promise<ProofResult> {
  const { subject, operation, at, seq, via, evidence } = recorded;
  const facts = { subject, ...defined({ operation: operation || undefined, at: at || undefined, seq, via: via || undefined }) };
  if (!evidence) return { ...facts, state: via === '' ? 'missing' : 'recorded' };
  if (via !== 'ssh') return { ...facts, state: 'recorded' };
  const problem = findStatementProblem({ ...recorded, evidence });
  if (problem) return { ...facts, state: 'invalid', problem };
  const ssh = await platform.loadSshSignatures();
  const [text, signature] = [String(evidence.statement), String(evidence.signature ?? '')];
  const verify = (signers: string[]) => ssh.verify({ signers, namespace: decisionNamespace, text, signature, at });
  const listed = await verify(await readSigners(platform));
  if (listed.isValid) return { ...facts, state: 'signed', ...defined({ signer: listed.signer, fingerprint: listed.fingerprint }) };
  const own = await verify([`${evidence.signer ?? 'unknown'} ${evidence.publicKey ?? ''}`]);
  if (!own.isValid) return { ...facts, state: 'invalid', problem: `has a signature that is not valid (${own.problem})` };
  return { ...facts, state: 'unlisted', ...defined({ signer: own.signer, fingerprint: own.fingerprint }) };
}
