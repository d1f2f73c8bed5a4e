import { defined } from '#lib/collections.ts';
import type { ArtifactSpec, CaptureSpec, ExitCodeNames, GoalSpec, JudgeSpec, PhaseSpec, SkillSpec } from '../../model/construct.ts';
import {
  CapturePart,
  ContractPart,
  ExecutionGatePart,
  ExitCodePart,
  GatesPart,
  GoalPart,
  JudgePart,
  listPartKeys,
  manifestLimits,
  OutputPart,
  PhasePart,
  PreconditionPart,
  RubricPart,
  SkillPart,
} from '../../model/construct-file.ts';
import { type ExitClass, exitClasses, failureClasses } from '../../model/skill-exit.ts';
import { defaultRetryOn, findClassByName } from '../skill-contract.ts';
import {
  createSkillSpec,
  defaultCapture,
  defaultKillGraceMs,
  defaultTimeoutMs,
  findManifestPathProblem,
  findSkillNameProblem,
  noGoal,
} from './conventions.ts';
import type { YamlNode, YamlReader } from './read.ts';
import {
  applyQuality,
  checkSchemaConflicts,
  type DocumentIndex,
  indexByBaseName,
  mergeArtifacts,
  readArgv,
  readArtifacts,
  readChecks,
  readQuality,
  reportSchemaConflict,
} from './requirements.ts';

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

export function readCapture(reader: YamlReader, node: YamlNode): CaptureSpec {
  const at = reader.fields(node, listPartKeys(CapturePart));
  const isForever = at.retention_days.raw !== undefined && !reader.isPresent(at.retention_days);
  return {
    enabled: reader.boolean(at.enabled) ?? defaultCapture.enabled,
    retentionDays: isForever ? null : (reader.number(at.retention_days, manifestLimits.days) ?? defaultCapture.retentionDays),
    inputs: reader.oneOf(at.include_inputs, ['none', 'hashed', 'full']) ?? defaultCapture.inputs,
    outputs: reader.oneOf(at.include_outputs, ['none', 'summary', 'full']) ?? defaultCapture.outputs,
  };
}

export function readGoal(reader: YamlReader, node: YamlNode, fallback: GoalSpec = noGoal): GoalSpec {
  if (!reader.isPresent(node)) return fallback;
  const at = reader.fields(node, listPartKeys(GoalPart));
  const rubric = reader.isPresent(at.rubric)
    ? reader.items(at.rubric).flatMap((item) => {
        const question = reader.fields(item, listPartKeys(RubricPart));
        const [id, text] = [reader.text(question.id), reader.text(question.question)];
        if (id === undefined || text === undefined) {
          reader.addError(item, 'needs an id and a question');
          return [];
        }
        return [{ id, question: text, weight: reader.number(question.weight, manifestLimits.weight) ?? 1 }];
      })
    : fallback.rubric;
  return {
    mode: reader.oneOf(at.mode, ['off', 'judge', 'review', 'judge_then_review']) ?? fallback.mode,
    enforce: reader.boolean(at.enforce) ?? fallback.enforce,
    rubric,
  };
}

export function readJudge(reader: YamlReader, node: YamlNode): JudgeSpec | undefined {
  if (!reader.isPresent(node)) return undefined;
  const at = reader.fields(node, listPartKeys(JudgePart));
  const command = readArgv(reader, at.command);
  if (!command) {
    if (!reader.isPresent(at.command)) reader.addError(node, 'needs a command');
    return undefined;
  }
  const votes = reader.number(at.votes, manifestLimits.votes) ?? 1;
  if (votes % 2 === 0) reader.addError(at.votes, 'must be odd, so that there is a majority');
  return {
    command,
    timeoutMs: reader.number(at.timeout_ms, manifestLimits.milliseconds) ?? 60_000,
    maxRetries: reader.number(at.max_retries, manifestLimits.retries) ?? 1,
    votes,
    minScore: reader.number(at.min_score, manifestLimits.share) ?? 0.7,
  };
}

/** Reads the names and classes of exit codes. Code 0 is success under any name. */
export function readExitCodes(reader: YamlReader, node: YamlNode): ExitCodeNames {
  if (!reader.isPresent(node)) return {};
  const found: ExitCodeNames = {};
  for (const [key, value] of reader.entries(node)) {
    const code = /^\d{1,3}$/.test(key) ? Number(key) : 256;
    if (code > 255) {
      reader.addError(value, `${JSON.stringify(key)} is not an exit code (0 to 255)`);
      continue;
    }
    const entry = readExitCode(reader, value);
    if (!entry) continue;
    const exitClass = entry.class ?? findClassByName(entry.name);
    if (code === 0 && exitClass !== undefined && exitClass !== 'success') reader.addError(value, 'exit code 0 always means success');
    else found[code] = entry;
  }
  return found;
}

function readExitCode(reader: YamlReader, node: YamlNode): ExitCodeNames[number] | undefined {
  if (!reader.isMap(node)) {
    const name = reader.text(node);
    return name === undefined ? undefined : { name };
  }
  const at = reader.fields(node, listPartKeys(ExitCodePart));
  const name = reader.text(at.name);
  const exitClass = reader.oneOf(at.class, exitClasses);
  const known = name ?? exitClass;
  return known === undefined ? undefined : { name: known, ...defined({ class: exitClass }) };
}

/** A skill that names its phase, and the node of that name. */
export interface DeclaredSkill {
  name: string;
  phase: string;
  phaseAt: YamlNode;
}

export function readSkills(reader: YamlReader, node: YamlNode): { skills: SkillSpec[]; declared: DeclaredSkill[] } {
  const found = new Map<string, SkillSpec>();
  const declared: DeclaredSkill[] = [];
  for (const item of reader.isPresent(node) ? reader.items(node) : []) {
    const skill = readSkill(reader, item);
    if (!skill) continue;
    const { name, phase } = skill;
    const problem = findSkillNameProblem(name);
    if (problem) reader.addError(item, problem);
    if (found.has(name)) reader.addError(item, `${name} is declared twice`);
    found.set(name, skill);
    if (phase !== undefined) declared.push({ name, phase, phaseAt: new Map(reader.entries(item)).get('phase')! });
  }
  return { skills: [...found.values()], declared };
}

function readSkill(reader: YamlReader, node: YamlNode): SkillSpec | undefined {
  if (!reader.isMap(node)) {
    const name = reader.text(node);
    return name === undefined ? undefined : createSkillSpec(name);
  }
  const at = reader.fields(node, listPartKeys(SkillPart));
  const name = reader.text(at.name) ?? reader.text(at.slug);
  if (name === undefined) {
    reader.addError(node, 'needs a name');
    return undefined;
  }
  const shell = reader.boolean(at.shell) ?? false;
  const path = reader.text(at.path);
  const problem = path === undefined ? undefined : findManifestPathProblem(path);
  if (problem) reader.addError(at.path, `${JSON.stringify(path)} ${problem}`);
  return {
    name,
    required: reader.boolean(at.required) ?? true,
    shell,
    env: reader.texts(at.env),
    credentials: reader.texts(at.credentials),
    ...defined({
      phase: reader.text(at.phase),
      path,
      run: reader.isPresent(at.run) ? readRunCommand(reader, at.run, shell) : undefined,
      timeoutMs: reader.number(at.timeout_ms, manifestLimits.milliseconds),
      maxRetries: reader.number(at.max_retries, manifestLimits.retries),
    }),
  };
}

function readRunCommand(reader: YamlReader, node: YamlNode, shell: boolean): string[] | undefined {
  if (reader.isList(node)) return readArgv(reader, node);
  const line = reader.text(node);
  if (line !== undefined && !shell) reader.addError(node, 'is a shell command line', 'write it as a list, or set shell: true');
  return line !== undefined && shell ? [line] : undefined;
}
