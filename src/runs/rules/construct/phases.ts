import { defined } from '#lib/collections.ts';
import type { ArtifactSpec, ExitCodeNames, GoalSpec, PhaseSpec } from '../../model/construct.ts';
import {
  ContractPart,
  ExecutionGatePart,
  GatesPart,
  listPartKeys,
  manifestLimits,
  OutputPart,
  PhasePart,
  PreconditionPart,
} from '../../model/construct-file.ts';
import { type ExitClass, failureClasses } from '../../model/skill-exit.ts';
import { defaultRetryOn } from '../skill-contract.ts';
import { defaultKillGraceMs, defaultTimeoutMs, findSkillNameProblem } from './conventions.ts';
import type { YamlNode, YamlReader } from './read.ts';
import {
  applyQuality,
  type DocumentIndex,
  indexByBaseName,
  mergeArtifacts,
  readArtifacts,
  readChecks,
  readQuality,
  reportSchemaConflict,
} from './requirements.ts';
import { type DeclaredSkill, readExitCodes, readGoal } from './settings.ts';

/** The parts of a manifest that declare phases. */
interface PhaseSources {
  order: YamlNode;
  phases: YamlNode;
  contracts: YamlNode;
  gates: YamlNode;
}

/** Reads all phases of a manifest, in the order in which they run. */
export function readPhases(reader: YamlReader, sources: PhaseSources, skills: DeclaredSkill[], goal: GoalSpec): PhaseSpec[] {
  const declaredPhases = readDeclaredPhases(reader, sources.phases);
  const contracts = readEntries(reader, sources.contracts);
  const gates = readEntries(reader, sources.gates);
  const all = readOrder(reader, sources.order, [declaredPhases, contracts, gates], skills);
  checkNames(reader, all, [declaredPhases, contracts, gates], skills);
  const order = [...all.keys()].slice(0, maxPhases);
  const drafts = order.map((name) => readPhaseDraft(reader, name, declaredPhases.get(name), contracts.get(name), gates.get(name)));
  checkSchemaConflicts(reader, sources.phases, drafts);
  const documents = indexByBaseName(drafts.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  const phases = drafts.map((draft) => addGates(reader, draft, { documents, skills, goal }));
  checkOrder(reader, sources.phases, phases);
  return phases;
}

type NodesByName = Map<string, YamlNode>;

const readEntries = (reader: YamlReader, node: YamlNode): NodesByName => new Map(reader.isPresent(node) ? reader.entries(node) : []);

/** Reads `phases`, which is a map by name or a list of maps with a name. */
function readDeclaredPhases(reader: YamlReader, node: YamlNode): NodesByName {
  if (!reader.isPresent(node)) return new Map();
  if (!reader.isList(node)) return readEntries(reader, node);
  const found: NodesByName = new Map();
  for (const item of reader.items(node)) {
    const isMap = reader.isMap(item);
    const at = isMap ? new Map(reader.entries(item)).get('name') : item;
    const name = at && reader.text(at);
    if (name === undefined) reader.addError(item, 'needs a name');
    else if (found.has(name)) reader.addError(item, `${name} is declared twice`);
    else found.set(name, isMap ? item : { raw: undefined, where: item.where });
  }
  return found;
}

/** Reads the order of the phases: each name with the node that lists it. */
function readOrder(reader: YamlReader, node: YamlNode, sources: NodesByName[], skills: DeclaredSkill[]): NodesByName {
  const found: NodesByName = new Map();
  if (reader.isPresent(node))
    for (const item of reader.isList(node) ? reader.items(node) : [node]) {
      const name = reader.text(item);
      if (name === undefined) continue;
      if (found.has(name)) reader.addError(item, `${name} is listed twice`);
      else found.set(name, item);
    }
  else {
    const first = sources.find((source) => source.size > 0);
    if (first) return first;
    for (const { phase, phaseAt } of skills) if (!found.has(phase)) found.set(phase, phaseAt);
  }
  return found;
}

const maxPhases = 500;

function checkNames(reader: YamlReader, order: NodesByName, sources: NodesByName[], skills: DeclaredSkill[]): void {
  const formatUnknown = (name: string): string => `${JSON.stringify(name)} is not in the list of phases`;
  for (const source of sources) for (const [name, node] of source) if (!order.has(name)) reader.addError(node, formatUnknown(name));
  for (const { phase, phaseAt } of skills) if (!order.has(phase)) reader.addError(phaseAt, formatUnknown(phase));
  for (const [name, node] of order)
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
      reader.addError(
        node,
        `${JSON.stringify(name)} is not a valid phase name; use at most 64 letters, digits, dots, hyphens and underscores`,
      );
  if (order.size > maxPhases)
    reader.addError([...order.values()][maxPhases]!, `there are ${order.size} phases; at most ${maxPhases} are allowed`);
}

interface PhaseDraft {
  name: string;
  skills: string[];
  inputs: ArtifactSpec[];
  outputs: ArtifactSpec[];
  exitCodes: ExitCodeNames;
  declaresExitCodes: boolean;
  gates: Record<'selection' | 'precondition' | 'execution' | 'output' | 'goal', YamlNode>;
}

function readPhaseDraft(
  reader: YamlReader,
  name: string,
  own: YamlNode | undefined,
  contract: YamlNode | undefined,
  gates: YamlNode | undefined,
): PhaseDraft {
  const absent: YamlNode = { raw: undefined, where: name };
  const fields = reader.fields(own ?? absent, listPartKeys(PhasePart));
  const contractFields = reader.fields(contract ?? absent, listPartKeys(ContractPart));
  const gateNodes = reader.fields(gates ?? absent, listPartKeys(GatesPart));
  const inputs = mergeArtifacts(
    [fields.receives, fields.requires, fields.inputs, contractFields.inputs].flatMap((node) => readArtifacts(reader, node)),
  );
  const outputs = mergeArtifacts([fields.produces, fields.outputs, contractFields.outputs].flatMap((node) => readArtifacts(reader, node)));
  for (const { path, schemas } of [...inputs.conflicts, ...outputs.conflicts])
    reportSchemaConflict(reader, own ?? contract ?? absent, path, schemas);
  const exitCodes = readExitCodes(reader, contractFields.exit_codes);
  return {
    name,
    skills: readSkillNames(reader, fields.skills),
    inputs: inputs.artifacts,
    exitCodes,
    outputs: applyOutputGate(reader, gateNodes.output, outputs.artifacts),
    declaresExitCodes: reader.isPresent(contractFields.exit_codes),
    gates: gateNodes,
  };
}

function readSkillNames(reader: YamlReader, node: YamlNode): string[] {
  const names = reader.texts(node);
  for (const name of names) {
    const problem = findSkillNameProblem(name);
    if (problem) reader.addError(node, problem);
  }
  return names;
}

/** Applies the requirements of the output gate to required outputs without a schema of their own. */
function applyOutputGate(reader: YamlReader, gate: YamlNode, outputs: ArtifactSpec[]): ArtifactSpec[] {
  const quality = readQuality(reader, reader.fields(gate, listPartKeys(OutputPart)));
  return outputs.map((spec) =>
    spec.required && (spec.schema === null || spec.schema === quality.schema) ? applyQuality(spec, quality) : spec,
  );
}

function addGates(
  reader: YamlReader,
  { gates, ...draft }: PhaseDraft,
  { documents, skills, goal }: { documents: DocumentIndex; skills: DeclaredSkill[]; goal: GoalSpec },
): PhaseSpec {
  const precondition = reader.fields(gates.precondition, listPartKeys(PreconditionPart));
  const execution = reader.fields(gates.execution, listPartKeys(ExecutionGatePart));
  const output = dropFindings(reader, () => reader.fields(gates.output, listPartKeys(OutputPart)));
  const readSeverity = (node: YamlNode): 'block' | 'warn' => reader.oneOf(node, ['block', 'warn']) ?? 'block';
  const primarySchema = reader.schema(output.primary_schema);
  const deadlineMs = reader.number(execution.deadline_ms, manifestLimits.milliseconds);
  return {
    ...draft,
    skills: [...new Set([...skills.filter(({ phase }) => phase === draft.name).map(({ name }) => name), ...draft.skills])],
    gates: {
      precondition: { severity: readSeverity(precondition.severity), checks: readChecks(reader, precondition.checks, documents) },
      execution: { severity: readSeverity(execution.severity), checks: [] },
      output: {
        severity: readSeverity(output.severity),
        checks: readChecks(reader, output.checks, documents),
        ...defined({ primarySchema }),
      },
    },
    ...(reader.isPresent(gates.goal) ? { goal: readGoal(reader, gates.goal, goal) } : {}),
    timeoutMs: reader.number(execution.timeout_ms, manifestLimits.milliseconds) ?? defaultTimeoutMs,
    ...(deadlineMs ? { deadlineMs } : {}),
    maxRetries: reader.number(execution.max_retries, manifestLimits.retries) ?? 0,
    retryOn: readRetryOn(reader, execution.retry_on),
    killGraceMs: reader.number(execution.kill_grace_ms, manifestLimits.milliseconds) ?? defaultKillGraceMs,
  };
}

/** Runs `work` without adding findings, to read a part again whose findings are already reported. */
function dropFindings<T>(reader: YamlReader, work: () => T): T {
  const count = reader.findings.length;
  const result = work();
  reader.findings.length = count;
  return result;
}

function readRetryOn(reader: YamlReader, node: YamlNode): ExitClass[] {
  if (!reader.isPresent(node)) return defaultRetryOn;
  return reader.items(node).flatMap((item) => reader.oneOf(item, failureClasses) ?? []);
}

/** Reports paths that have different schemas in different phases. */
function checkSchemaConflicts(reader: YamlReader, node: YamlNode, drafts: PhaseDraft[]): void {
  const { conflicts } = mergeArtifacts(drafts.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  for (const { path, schemas } of conflicts) reportSchemaConflict(reader, node, path, schemas);
}

/** Warns about an input that only a later phase produces, since it may exist from an earlier run. Two phases that wait for each other
 *  are an error. */
function checkOrder(reader: YamlReader, node: YamlNode, phases: PhaseSpec[]): void {
  const hasOutput = (phase: PhaseSpec, path: string): boolean => phase.outputs.some((output) => output.path === path);
  const waits = phases.map((phase, i) =>
    phase.inputs.filter(({ required, path }) => required && !phases.slice(0, i).some((one) => hasOutput(one, path))),
  );
  phases.forEach((phase, i) => {
    for (const { path } of waits[i]!) {
      const later = phases.findIndex((one, j) => j > i && hasOutput(one, path));
      if (later < 0) continue;
      const isMutual = isWaitingFor(phases[later]!, phase, phases, new Set());
      const problem = `${phase.name} needs ${path}, which only the later phase ${phases[later]!.name} produces`;
      if (isMutual) reader.addError(node, `${problem}, and that phase waits for ${phase.name}`);
      else reader.addWarning(node, problem);
    }
  });
}

/** True if `phase` needs an output of `other`, directly or through other phases. */
function isWaitingFor(phase: PhaseSpec, other: PhaseSpec, phases: PhaseSpec[], seen: Set<string>): boolean {
  if (seen.has(phase.name)) return false;
  seen.add(phase.name);
  const makers = phases.filter(({ outputs }) =>
    phase.inputs.some((input) => input.required && outputs.some(({ path }) => path === input.path)),
  );
  return makers.some((one) => one === other || isWaitingFor(one, other, phases, seen));
}
