import type { ArtifactSpec, ExitCodeNames, GoalSpec, Phase } from '../../model/construct.ts';
import {
  ContractPart,
  ExecutionGatePart,
  GatesPart,
  keysOf,
  limits,
  OutputPart,
  PhasePart,
  PreconditionPart,
} from '../../model/construct-file.ts';
import { type ExitClass, failureClasses } from '../../model/skill-exit.ts';
import { retriedByDefault } from '../exit-class.ts';
import { merged, readArtifacts, readQuality, tellClash } from './artifacts.ts';
import { byBaseName, type Documents, readChecks } from './checks.ts';
import { skillNameProblem } from './names.ts';
import { type DeclaredSkill, readExitCodes, readGoal } from './settings.ts';
import type { Reader, Spot } from './spot.ts';

/** Where a manifest speaks of phases. */
export interface PhaseSources {
  order: Spot;
  phases: Spot;
  contracts: Spot;
  gates: Spot;
}

const defaultTimeoutMs = 600_000;
const defaultKillGraceMs = 1500;

/** Everything a manifest says of its phases, in the order in which they run. */
export function readPhases(reader: Reader, sources: PhaseSources, skills: DeclaredSkill[], goal: GoalSpec): Phase[] {
  const declared = declaredPhases(reader, sources.phases);
  const contracts = named(reader, sources.contracts);
  const gates = named(reader, sources.gates);
  const all = orderOf(reader, sources.order, [declared, contracts, gates], skills);
  checkNames(reader, all, [declared, contracts, gates], skills);
  const order = [...all.keys()].slice(0, mostPhases);
  const drafts = order.map((name) => artifactsOf(reader, name, declared.get(name), contracts.get(name), gates.get(name)));
  checkSchemas(reader, sources.phases, drafts);
  const documents = byBaseName(drafts.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  const phases = drafts.map((draft) => withGates(reader, draft, { documents, skills, goal }));
  checkOrder(reader, sources.phases, phases);
  return phases;
}

type Named = Map<string, Spot>;

const named = (reader: Reader, spot: Spot): Named => new Map(reader.isThere(spot) ? reader.entries(spot) : []);

/** As a map of names, or as a list of maps with a name. */
function declaredPhases(reader: Reader, spot: Spot): Named {
  if (!reader.isThere(spot)) return new Map();
  if (!reader.isList(spot)) return named(reader, spot);
  const found: Named = new Map();
  for (const item of reader.items(spot)) {
    const isMap = reader.isMap(item);
    const at = isMap ? new Map(reader.entries(item)).get('name') : item;
    const name = at && reader.text(at);
    if (name === undefined) reader.error(item, 'needs a name');
    else if (found.has(name)) reader.error(item, `${name} is declared twice`);
    else found.set(name, isMap ? item : { node: undefined, where: item.where });
  }
  return found;
}

/** The names, each with the place that says so. */
function orderOf(reader: Reader, spot: Spot, sources: Named[], skills: DeclaredSkill[]): Named {
  const found: Named = new Map();
  if (reader.isThere(spot))
    for (const item of reader.isList(spot) ? reader.items(spot) : [spot]) {
      const name = reader.text(item);
      if (name === undefined) continue;
      if (found.has(name)) reader.error(item, `${name} stands in the order twice`);
      else found.set(name, item);
    }
  else {
    const first = sources.find((source) => source.size > 0);
    if (first) return first;
    for (const { phase, phaseAt } of skills) if (!found.has(phase)) found.set(phase, phaseAt);
  }
  return found;
}

/** Of more than this nobody keeps track. */
const mostPhases = 500;

function checkNames(reader: Reader, order: Named, sources: Named[], skills: DeclaredSkill[]): void {
  const lost = (name: string): string => `${JSON.stringify(name)} is in no order of phases`;
  for (const source of sources) for (const [name, spot] of source) if (!order.has(name)) reader.error(spot, lost(name));
  for (const { phase, phaseAt } of skills) if (!order.has(phase)) reader.error(phaseAt, lost(phase));
  for (const [name, spot] of order)
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
      reader.error(spot, `${JSON.stringify(name)} is no name for a phase: letters, digits, dots, hyphens, underscores; at most 64`);
  if (order.size > mostPhases)
    reader.error([...order.values()][mostPhases]!, `there are ${order.size} phases; at most ${mostPhases} can be run`);
}

interface Draft {
  name: string;
  skills: string[];
  inputs: ArtifactSpec[];
  outputs: ArtifactSpec[];
  exitCodes: ExitCodeNames;
  declaresExitCodes: boolean;
  gates: Record<'selection' | 'precondition' | 'execution' | 'output' | 'goal', Spot>;
}

function artifactsOf(reader: Reader, name: string, own: Spot | undefined, contract: Spot | undefined, gates: Spot | undefined): Draft {
  const nothing: Spot = { node: undefined, where: name };
  const at = reader.fields(own ?? nothing, keysOf(PhasePart));
  const of = reader.fields(contract ?? nothing, keysOf(ContractPart));
  const gateSpots = reader.fields(gates ?? nothing, keysOf(GatesPart));
  const inputs = merged([at.receives, at.requires, at.inputs, of.inputs].flatMap((spot) => readArtifacts(reader, spot)));
  const outputs = merged([at.produces, at.outputs, of.outputs].flatMap((spot) => readArtifacts(reader, spot)));
  for (const { path, schemas } of [...inputs.clashes, ...outputs.clashes]) tellClash(reader, own ?? contract ?? nothing, path, schemas);
  const exitCodes = readExitCodes(reader, of.exit_codes);
  return {
    ...{ name, skills: skillsOf(reader, at.skills), inputs: inputs.artifacts, exitCodes },
    outputs: outputsOf(reader, gateSpots.output, outputs.artifacts),
    declaresExitCodes: reader.isThere(of.exit_codes),
    gates: gateSpots,
  };
}

function skillsOf(reader: Reader, spot: Spot): string[] {
  const names = reader.texts(spot);
  for (const name of names) {
    const problem = skillNameProblem(name);
    if (problem) reader.error(spot, problem);
  }
  return names;
}

/** What the output gate asks holds for what must be there and has no schema of its own. */
function outputsOf(reader: Reader, gate: Spot, outputs: ArtifactSpec[]): ArtifactSpec[] {
  const asked = readQuality(reader, reader.fields(gate, keysOf(OutputPart)));
  return outputs.map((spec) =>
    spec.required && (spec.schema === null || spec.schema === asked.schema)
      ? {
          ...spec,
          schema: spec.schema ?? asked.schema,
          min_completeness: spec.min_completeness ?? asked.min_completeness,
          required_sections: spec.required_sections ?? asked.required_sections,
        }
      : spec,
  );
}

function withGates(
  reader: Reader,
  { gates, ...draft }: Draft,
  { documents: declared, skills, goal }: { documents: Documents; skills: DeclaredSkill[]; goal: GoalSpec },
): Phase {
  const before = reader.fields(gates.precondition, keysOf(PreconditionPart));
  const during = reader.fields(gates.execution, keysOf(ExecutionGatePart));
  const after = withoutFindings(reader, () => reader.fields(gates.output, keysOf(OutputPart)));
  const severity = (spot: Spot): 'block' | 'warn' => reader.oneOf(spot, ['block', 'warn']) ?? 'block';
  const primarySchema = reader.schema(after.primary_schema);
  const deadlineMs = reader.number(during.deadline_ms, limits.milliseconds);
  return {
    ...draft,
    skills: [...new Set([...skills.filter(({ phase }) => phase === draft.name).map(({ name }) => name), ...draft.skills])],
    gates: {
      precondition: { severity: severity(before.severity), checks: readChecks(reader, before.checks, declared) },
      execution: { severity: severity(during.severity), checks: [] },
      output: {
        severity: severity(after.severity),
        checks: readChecks(reader, after.checks, declared),
        ...(primarySchema === undefined ? {} : { primarySchema }),
      },
    },
    ...(reader.isThere(gates.goal) ? { goal: readGoal(reader, gates.goal, goal) } : {}),
    timeoutMs: reader.number(during.timeout_ms, limits.milliseconds) ?? defaultTimeoutMs,
    ...(deadlineMs ? { deadlineMs } : {}),
    maxRetries: reader.number(during.max_retries, limits.retries) ?? 0,
    retryOn: retryOn(reader, during.retry_on),
    killGraceMs: reader.number(during.kill_grace_ms, limits.milliseconds) ?? defaultKillGraceMs,
  };
}

/** For what was read once already and is looked up again. */
function withoutFindings<T>(reader: Reader, work: () => T): T {
  const before = reader.findings.length;
  const result = work();
  reader.findings.length = before;
  return result;
}

function retryOn(reader: Reader, spot: Spot): ExitClass[] {
  if (!reader.isThere(spot)) return retriedByDefault;
  return reader.items(spot).flatMap((item) => reader.oneOf(item, failureClasses) ?? []);
}

/** One document has one schema, whoever speaks of it. */
function checkSchemas(reader: Reader, spot: Spot, drafts: Draft[]): void {
  const { clashes } = merged(drafts.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  for (const { path, schemas } of clashes) tellClash(reader, spot, path, schemas);
}

/** What only a later phase makes may be there from an earlier run; but two phases cannot each wait for the other. */
function checkOrder(reader: Reader, spot: Spot, phases: Phase[]): void {
  const makes = (phase: Phase, path: string): boolean => phase.outputs.some((output) => output.path === path);
  const waits = phases.map((phase, i) =>
    phase.inputs.filter(({ required, path }) => required && !phases.slice(0, i).some((one) => makes(one, path))),
  );
  phases.forEach((phase, i) => {
    for (const { path } of waits[i]!) {
      const later = phases.findIndex((one, j) => j > i && makes(one, path));
      if (later < 0) continue;
      const isMutual = waitsFor(phases[later]!, phase, phases, new Set());
      const problem = `${phase.name} receives ${path}, which only ${phases[later]!.name} makes, later`;
      if (isMutual) reader.error(spot, `${problem}, and which waits for ${phase.name} itself`);
      else reader.warning(spot, problem);
    }
  });
}

/** Whether one needs what another makes, itself or by way of others. */
function waitsFor(phase: Phase, other: Phase, phases: Phase[], seen: Set<string>): boolean {
  if (seen.has(phase.name)) return false;
  seen.add(phase.name);
  const makers = phases.filter(({ outputs }) =>
    phase.inputs.some((input) => input.required && outputs.some(({ path }) => path === input.path)),
  );
  return makers.some((one) => one === other || waitsFor(one, other, phases, seen));
}
