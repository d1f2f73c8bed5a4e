import { join, relative } from 'node:path';
import type { Config } from '#core/model/config.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { toDecidedContent } from '#memory/rules/memory-view.ts';
import type { Platform, Project } from '#platform/port.ts';
import { readProofMethod, readSigners } from '#sessions/operations/shared/prove-person.ts';
import { findStatementProblem } from '#sessions/rules/check-proof.ts';
import { decisionNamespace } from '#sessions/rules/proof-statement.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { PlanIssue, PlanState } from '../../model/plan.ts';
import { decidingOperations, needsPerson, readDecision, withoutDecision } from '../../rules/plan/decided.ts';
import { collectMemory, toMemoryUid } from './plan-collect.ts';
import { type MergedRecord, memoryKinds, pickKind } from './plan-merge.ts';
import { toFileName } from './plan-stats.ts';

interface DecisionContext {
  platform: Platform;
  project: Project;
  config: Config;
  /** The store of a clone is built from the files: outside git there is nothing to compare them with. */
  isNewStore?: boolean;
}

/** Takes decisions out of the states that files have without a person: an agent can write a plan file. The files keep them, and so do other
 *  clones. Returns what was left out. */
export async function holdDecisions(ctx: DecisionContext, store: ReadStore, records: MergedRecord[]): Promise<PlanIssue[]> {
  const merged = pickKind(records, 'memory');
  if (merged.length === 0) return [];
  const all = await store.plan.listMemory(memoryKinds.map(([, type]) => type));
  const uids = new Set(merged.map(({ uid }) => uid));
  const entries = all.filter(({ digest }) => uids.has(toMemoryUid(digest)));
  const taskUids = await store.plan.getTaskUids([...new Set(entries.flatMap(({ tasks }) => tasks))]);
  const before = new Map(collectMemory(entries, all, taskUids).map((state) => [state.uid, state]));
  const issues: PlanIssue[] = [];
  for (const record of merged) {
    const { state, uid } = record;
    if (!state || !needsPerson(state, before.get(uid))) continue;
    const problem = await findDecisionProblem(ctx, state);
    if (problem === undefined) continue;
    record.state = withoutDecision(state, before.get(uid));
    const [claimed, own] = [readDecision(state).state, readDecision(record.state).state];
    const command = commands[claimed] ?? 'cleo memory fetch';
    const message = `${state.id} is ${claimed} in its plan file, but ${problem}; it is ${own} here. Ask a person to run: ${command} ${state.id}`;
    issues.push({ kind: 'undecided', recordKind: 'memory', uids: [uid], message });
  }
  return issues;
}

const commands: Record<string, string> = { accepted: 'cleo memory confirm', rejected: 'cleo memory reject' };

/** The reason why a file does not show that a person decided; undefined if it does. */
async function findDecisionProblem(ctx: DecisionContext, state: PlanState): Promise<string | undefined> {
  const method = await readProofMethod(ctx.platform, 'memory.confirm');
  if (method === 'passphrase') return 'decide.proof is passphrase, which a file cannot prove';
  if (method === 'ssh') return findSignatureProblem(ctx, state);
  return ctx.isNewStore || (await isCommitted(ctx, state)) ? undefined : 'no commit has it like this';
}

async function findSignatureProblem({ platform }: DecisionContext, state: PlanState): Promise<string | undefined> {
  const { at = '', proof: stored, ...decision } = readDecision(state);
  const proof = parseJson(stored);
  const { operation, via, evidence } = isPlainObject(proof) ? proof : {};
  if (via !== 'ssh' || !isPlainObject(evidence)) return 'it has no signature';
  if (operation !== decidingOperations[decision.state]) return 'its signature is for something else';
  // The number that the decision had when it was signed.
  const subject = state.renumberedFrom ?? state.id!;
  const text = toDecidedContent({ id: subject, title: String(state.fields.title), content: String(state.fields.content) });
  const content = platform.sha256(JSON.stringify(text));
  const problem = findStatementProblem({ subject, operation: String(operation), at, via, evidence, content });
  if (problem) return `it ${problem}`;
  const ssh = await platform.loadSshSignatures();
  const signed = { namespace: decisionNamespace, text: String(evidence.statement), signature: String(evidence.signature ?? ''), at };
  const { isValid } = await ssh.verify({ signers: await readSigners(platform), ...signed });
  return isValid ? undefined : 'no key of decide.signers has signed it';
}

/** True if the file is as the last commit has it. People can see and review a commit. */
async function isCommitted({ platform, project }: DecisionContext, { uid }: PlanState): Promise<boolean> {
  const git = await platform.loadGit();
  const { folder, top } = await platform.findWorkingTree(project);
  const name = relative(top, join(folder, '.cleo', 'plan', toFileName({ kind: 'memory', uid }))).replaceAll('\\', '/');
  const head = await git.resolveCommit(top, 'HEAD');
  return head !== undefined && (await git.listUnchanged(top, head, [name])).includes(name);
}
