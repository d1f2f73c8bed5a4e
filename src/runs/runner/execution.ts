import type { Phase, SkillSpec } from '../model/construct.ts';
import type { Warning } from '../model/execution.ts';
import { type ExitMeaning, meaningOf } from '../rules/exit-class.ts';
import { executionChecks } from '../rules/gate/execution.ts';
import { gateOf, type Judged } from '../rules/gate/gate.ts';
import { primaryOf } from '../rules/primary.ts';
import { noClaim } from '../rules/skill-claim.ts';
import { isAbsent, skillCommand } from '../rules/skill-command.ts';
import { attempts } from './attempts.ts';
import { captured } from './capture.ts';
import { type Around, aboutOf, type Draft, draftOf, type Executed, pass, record, refusal, skipGates, warn } from './draft.ts';
import { goalGate } from './goal.ts';
import { outputsBefore, outputsOf, primaryChecks, sharedIn, touchedBy } from './outputs.ts';
import { preconditions } from './preconditions.ts';
import { finish } from './result.ts';
import { depart, inputsHash, logOf, ofThisRun, reusable, reused } from './reuse.ts';
import type { Run } from './run-state.ts';
import { selectionGate } from './selection.ts';
import { treeWatch } from './tree-watch.ts';

/** What a phase that names no skill has in the place of one: its gates are checked all the same. */
export const noSkill: SkillSpec = { name: '-', required: true, shell: false, env: [], credentials: [] };

/** One skill in one phase, with all its attempts: gates before, the skill, gates after, and a result whatever came of it. */
export async function execute(run: Run, phase: Phase, skill: SkillSpec, around: () => Around): Promise<Executed> {
  const plain = { handoffs: [], onward: () => [], isLast: () => true, touched: new Set<string>(), tree: treeWatch(run.ground) };
  const draft = await draftOf(run, phase, skill, plain);
  draft.inputsHash = inputsHash(draft);
  const known = reusable(draft);
  if (known) return reused(draft, known);
  const settled = ofThisRun(draft).some(({ review }) => review !== undefined) && (await import('./awaited.ts')).settled(draft);
  if (settled) return settled;
  depart(run, phase, skill);
  draft.around = around();
  if (isAbsent(skill, draft.found)) return skipped(draft);

  if (skill === noSkill) skipGates(draft, 0);
  else record(draft, await selectionGate(run, aboutOf(draft)));
  const before = await preconditions(run, phase, draft.around.handoffs);
  draft.missing = before.missing;
  const severity = before.isRefused ? 'block' : phase.gates.precondition.severity;
  if (!pass(draft, 1, before.checks, severity)) return finish(draft, refusal(draft, before.code));
  if (skill === noSkill) return withoutSkill(draft);

  const command = skillCommand(skill, draft.found, run.request.construct.executor);
  if ('code' in command) {
    draft.errors.push({ code: command.name, message: command.problem });
    return finish(draft, refusal(draft, command.code));
  }
  await invoked(draft);
  const outputs = outputsBefore(run, phase);
  await draft.around.tree.begin(skill.name);
  const { ended, isJudged } = await attempts(draft, command.argv);
  await look(draft, outputs);
  await askPeople(draft, ended);
  return isJudged ? judge(draft, ended) : finish(draft, ended);
}

function skipped(draft: Draft): Executed {
  warn(draft, { code: 'skill_skipped', message: `${draft.skill.name} is not there, and need not be` });
  skipGates(draft, 0, 1, 2, 3, 4);
  draft.isSkipped = true;
  return finish(draft, meaningOf(0));
}

async function withoutSkill(draft: Draft): Promise<Executed> {
  draft.isSkipped = true;
  warn(draft, { code: 'phase_without_skill', message: `${draft.phase.name} has no skill: only its gates are checked` });
  skipGates(draft, 2);
  if (!(await checkOutputs(draft))) return finish(draft, refusal(draft, 84));
  skipGates(draft, 4);
  return finish(draft, meaningOf(0));
}

async function invoked(draft: Draft): Promise<void> {
  const { run, skill, found, inputs } = draft;
  const { intent, taskId, sessionId } = run.request;
  const git = await run.ground.git();
  run.tell(
    'skill_invoked',
    {
      ...{ skill_id: skill.name, version: found.version, operator_type: run.ground.operator() },
      input_summary: captured(run, inputs),
      context_size: sizeOf(JSON.stringify({ intent: intent ?? null, inputs })),
      memory_state: {
        ...{ git_head: git?.head ?? null, dirty_files: git?.dirtyFiles ?? null },
        ...{ session_id: sessionId ?? null, task_id: taskId ?? null },
      },
    },
    aboutOf(draft),
  );
}

const sizeOf = (text: string): { bytes: number; tokens_est: number } => {
  const bytes = new TextEncoder().encode(text).length;
  return { bytes, tokens_est: Math.ceil(bytes / 4) };
};

/** What it left in the tree. */
async function look(draft: Draft, outputs: Map<string, string>): Promise<void> {
  const { run, phase, skill, sideEffects, around } = draft;
  const claimed = sideEffects.filter(({ type }) => type === 'file_write').map(({ target }) => target);
  const own = await around.tree.end(skill.name, [...claimed, ...draft.claimedFiles]);
  draft.tree = touchedBy(run, phase, { own, outputs, claimed: sideEffects });
  for (const path of draft.tree.touched) around.touched.add(path);
  warn(draft, ...draft.tree.warnings);
  for (const { path, metadata } of draft.tree.artifacts)
    run.tell('execution_progress', { kind: 'artifact_created', path, ...sharedIn(metadata) }, aboutOf(draft));
  for (const { target, description } of draft.tree.sideEffects)
    run.tell('execution_progress', { kind: 'side_effect', target, description, sha256: sha256Of(run, target) }, aboutOf(draft));
}

/** Of what is small enough to be worth it. */
function sha256Of({ ground }: Run, path: string): string | null {
  const seen = ground.at(path);
  return seen?.kind === 'file' && seen.size <= 2 ** 20 ? ground.digest(path) : null;
}

/** Where the skill wants somebody to look at it, however it ended. */
async function askPeople(draft: Draft, ended: ExitMeaning): Promise<void> {
  const { run, last, isCancelled } = draft;
  const claim = last?.claim ?? noClaim;
  if (isCancelled || (!claim.isReviewRequested && ended.class !== 'escalate')) return;
  const reason = claim.isReviewRequested ? 'the skill asked for it' : `the skill ended with ${ended.code} (${ended.name})`;
  const goal = claim.goalStatement ?? run.request.intent ?? null;
  const { openReview } = await import('./reviews.ts');
  draft.review = { id: openReview(run, aboutOf(draft), { kind: 'requested', goal, reason, score: null }), decides: false };
}

/** Gates 2 to 4, as far as it gets. */
async function judge(draft: Draft, ended: ExitMeaning): Promise<Executed> {
  const { run, phase, last, skill } = draft;
  const { end, claim } = last ?? { end: undefined, claim: noClaim };
  const facts = { meaning: ended, timedOutMs: draft.timedOut?.timeoutMs, leaked: end?.leaked ?? 0, isTruncated: end?.isTruncated ?? false };
  record(draft, gateOf(2, executionChecks(facts), phase.gates.execution.severity, run.ground.now()));
  if (ended.class !== 'success') return finish(draft, ended);
  draft.primary = primaryOf(end?.stdout ?? new Uint8Array());
  run.primaries[skill.name] = draft.primary;
  run.printed.set(skill.name, () => logOf(run, run.record.run_id, phase.name, skill.name, draft.attempts));
  if (!(await checkOutputs(draft))) return finish(draft, refusal(draft, 84));
  const goal = await goalGate(run, phase, {
    ...{ about: aboutOf(draft), goal: claim.goalStatement, evidence: claim.evidence, artifacts: draft.tree.artifacts },
  });
  if (!goal) {
    draft.isCancelled = true;
    return finish(draft, refusal(draft, 130));
  }
  const { overridden } = record(draft, goal.result);
  warn(draft, ...goal.warnings);
  if (goal.code === 0 || overridden) return finish(draft, ended);
  if (goal.awaits !== undefined) {
    draft.review = { id: goal.awaits, decides: true };
    draft.errors.push({ code: 'goal_pending', message: `whether the goal was reached is for ${goal.awaits} to say` });
  }
  return finish(draft, refusal(draft, goal.code));
}

/** Gate 3. What the others of the phase are still to make is told, and is nobody's failure yet; what it printed is its own. */
async function checkOutputs(draft: Draft): Promise<boolean> {
  const { run, phase, around, primary, skill } = draft;
  const printed = skill === noSkill ? [] : primaryChecks(run, phase, primary);
  const made = await outputsOf(run, phase, around.touched);
  const isLast = around.isLast();
  const remarks = [...(isLast ? [] : made), ...around.onward()].map((one): Judged => ({ ...one, isRemark: true }));
  const stale = made.filter(({ name, passed }) => name === 'stale_output' && !passed);
  if (isLast) warn(draft, ...stale.map(({ message }): Warning => ({ code: 'stale_output', message })));
  return pass(draft, 3, [...printed, ...(isLast ? made : []), ...remarks], phase.gates.output.severity);
}
