import { defined } from '#lib/defined.ts';
import { findNearest } from '#lib/nearest.ts';
import { stripBom } from '#lib/parse-json.ts';
import { sha256 } from '#lib/sha256.ts';
import { stageNames } from '#planning/model/lifecycle.ts';
import type { ArtifactSpec, Construct, ManifestFinding } from '../../model/construct.ts';
import {
  AssessmentPart,
  ConstructFile,
  ExecutionPart,
  listPartKeys,
  MetadataPart,
  manifestLimits,
  RedactionPart,
} from '../../model/construct-file.ts';
import { builtInSchemas } from '../document/schemas.ts';
import { readHandoffs } from './handoffs.ts';
import { readPhases } from './phases.ts';
import { readArgv, readCapture, readExitCodes, readGoal, readJudge, readSkills } from './settings.ts';
import { createYamlReader, type YamlReader } from './yaml-reader.ts';

export interface ConstructReading {
  /** `pack`: it lists skills and has no phases. */
  kind: 'construct' | 'pack' | 'other';
  /** Undefined if there are errors. */
  construct?: Construct;
  findings: ManifestFinding[];
}

interface ReadConstructOptions {
  /** Hash of the file's bytes; defaults to the hash of the text. */
  digest?: string;
  /** Known schemas; defaults to the built-in ones. */
  schemas?: KnownSchemas;
}

const builtInSections: KnownSchemas = new Map(builtInSchemas.map(({ id, sections }) => [id, sections.map((section) => section.id)]));

export const maxManifestLength = 1024 * 1024;

/** Reads a construct.yaml and reports everything that is wrong with it. An unknown key is only a warning, because manifests carry keys for
 *  other tools. */
export function readConstruct(
  file: string,
  text: string,
  { digest = sha256(text), schemas = builtInSections }: ReadConstructOptions = {},
): ConstructReading {
  const fileError = { where: '', severity: 'error' as const };
  if (text.length > maxManifestLength) return { kind: 'other', findings: [{ ...fileError, problem: 'is larger than 1 MiB' }] };
  const reader = createYamlReader(stripBom(text), [...schemas.keys()]);
  if (reader.findings.length > 0) return { kind: 'other', findings: pickFindings(reader.findings, 'error') };
  if (!reader.isMap(reader.top)) {
    const problem = reader.isPresent(reader.top) ? 'is not a construct: its top level is not a map' : 'is empty';
    return { kind: 'other', findings: [{ ...fileError, line: 1, column: 1, problem }] };
  }
  const names = reader.entries(reader.top).map(([name]) => name);
  const kind = detectKind(reader, names);
  if (kind === 'other') {
    const isConda = names.includes('channels') && names.includes('specs');
    reader.addError(
      reader.top,
      isConda
        ? 'is a conda constructor manifest (channels, specs); that tool uses the same file name'
        : 'is not a construct: it needs apiVersion: loa/v1 and kind: Construct',
    );
    return { kind, findings: reader.findings };
  }
  const construct = fillInSchemas(buildConstruct(reader, file, digest, kind));
  checkSchemaReferences(reader, construct, schemas);
  const isValid = reader.findings.every(({ severity }) => severity !== 'error');
  return {
    kind,
    ...(isValid ? { construct } : {}),
    findings: ['error' as const, 'warning' as const].flatMap((one) => pickFindings(reader.findings, one)),
  };
}

const maxFindings = 100;

/** The first findings of one severity, in the order of the file, and a count of the others. */
function pickFindings(all: ManifestFinding[], severity: ManifestFinding['severity']): ManifestFinding[] {
  const found = all.filter((one) => one.severity === severity).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = found.length - maxFindings;
  return more > 0 ? [...found.slice(0, maxFindings), { severity, where: '', problem: `and ${more} more` }] : found;
}

function detectKind(reader: YamlReader, names: string[]): ConstructReading['kind'] {
  const byName = new Map(reader.entries(reader.top));
  const read = (name: string): unknown => (byName.has(name) ? reader.plainValue(byName.get(name)!) : undefined);
  if (read('apiVersion') === 'loa/v1' && read('kind') === 'Construct') return 'construct';
  return names.includes('schema_version') && [3, 4, '3', '4'].includes(read('schema_version') as number) ? 'pack' : 'other';
}

function buildConstruct(reader: YamlReader, file: string, digest: string, kind: ConstructReading['kind']): Construct {
  const fields = reader.fields(reader.top, listPartKeys(ConstructFile));
  const metadata = reader.fields(fields.metadata, listPartKeys(MetadataPart));
  const execution = reader.fields(fields.execution, listPartKeys(ExecutionPart));
  const assessment = reader.fields(fields.assessment, listPartKeys(AssessmentPart));
  const { skills, declared } = readSkills(reader, fields.skills);
  const goal = readGoal(reader, assessment.goal);
  const phases = readPhases(
    reader,
    { order: execution.phases, phases: fields.phases, contracts: fields.contracts, gates: assessment.gates },
    declared,
    goal,
  );
  const redaction = reader.fields(assessment.redaction, listPartKeys(RedactionPart));
  const executor = readArgv(reader, execution.executor);
  const judge = readJudge(reader, assessment.judge);
  const maxConcurrency = reader.number(execution.max_concurrency, manifestLimits.concurrency);
  const lifecycleStage = reader.oneOf(fields.lifecycle_stage, stageNames);
  if (lifecycleStage === 'release')
    reader.addError(fields.lifecycle_stage, 'release needs provenance, which a run does not have', 'cleo lifecycle complete');
  const selection = reader.oneOf(assessment.selection, ['heuristic', 'judge', 'review', 'off']) ?? 'heuristic';
  const needsJudge = [goal, ...phases.map((phase) => phase.goal)].some((one) => one?.mode.startsWith('judge')) || selection === 'judge';
  if (needsJudge && !reader.isPresent(assessment.judge))
    reader.addWarning(fields.assessment, 'needs a judge, but none is configured; people review instead', 'set judge: {command: [...]}');
  if (kind === 'construct' && phases.length === 0) reader.addWarning(reader.top, 'has no phases, so there is nothing to run');
  return {
    file,
    sha256: digest,
    name: reader.text(metadata.name) ?? reader.text(fields.name) ?? 'construct',
    version: reader.text(metadata.version) ?? reader.text(fields.version) ?? '0.0.0',
    phases,
    handoffs: readHandoffs(reader, assessment.handoffs, phases),
    skills,
    type: reader.oneOf(execution.type, ['sequential', 'parallel']) ?? 'sequential',
    env: reader.texts(fields.env),
    credentials: reader.texts(fields.credentials),
    exitCodes: { ...readExitCodes(reader, fields.exit_codes), ...readExitCodes(reader, assessment.exit_codes) },
    capture: readCapture(reader, assessment.capture),
    goal,
    selection,
    reviewersRequired: reader.number(assessment.reviewers_required, manifestLimits.reviewers) ?? 1,
    redaction: { patterns: reader.texts(redaction.patterns), allow: reader.texts(redaction.allow) },
    ...defined({ maxConcurrency, executor, judge, lifecycleStage }),
  };
}

/** Known schemas by id: the sections of a document schema, undefined for a data schema. */
type KnownSchemas = ReadonlyMap<string, string[] | undefined>;

const needsSchema = ({ min_completeness, required_sections }: ArtifactSpec): boolean =>
  min_completeness !== null || required_sections !== null;

/** Fills in the schema of artifacts that have requirements but name no schema: a path has one schema in the whole construct. */
function fillInSchemas(construct: Construct): Construct {
  const { phases, handoffs } = construct;
  const declared = [...phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]), ...handoffs.flatMap(({ required }) => required)];
  const schemas = new Map(declared.flatMap(({ path, schema }) => (schema === null ? [] : [[path, schema] as const])));
  const fillIn = (specs: ArtifactSpec[]): ArtifactSpec[] =>
    specs.map((spec) => (spec.schema === null && needsSchema(spec) ? { ...spec, schema: schemas.get(spec.path) ?? null } : spec));
  return {
    ...construct,
    phases: phases.map((phase) => ({ ...phase, inputs: fillIn(phase.inputs), outputs: fillIn(phase.outputs) })),
    handoffs: handoffs.map((handoff) => ({ ...handoff, required: fillIn(handoff.required), optional: fillIn(handoff.optional) })),
  };
}

/** Reports requirements that can never be met: sections that do not exist, and a completeness without a document schema. */
function checkSchemaReferences(reader: YamlReader, { phases, handoffs }: Construct, known: KnownSchemas): void {
  const artifacts = [
    ...phases.flatMap(({ name, inputs, outputs }) => [...inputs, ...outputs].map((spec) => ({ spec, where: name }))),
    ...handoffs.flatMap(({ from, to, required, optional }) =>
      [...required, ...optional].map((spec) => ({ spec, where: `${from}_to_${to}` })),
    ),
  ];
  const reported = new Set<string>();
  const report = (add: 'addError' | 'addWarning', where: string, problem: string, fix?: string): void => {
    if (reported.has(problem)) return;
    reported.add(problem);
    reader[add]({ ...reader.top, where }, problem, fix);
  };
  for (const { spec, where } of artifacts) {
    const { path, schema, required_sections: requiredSections } = spec;
    if (!needsSchema(spec) || (schema !== null && !known.has(schema))) continue;
    const sections = schema === null ? undefined : known.get(schema);
    if (schema === null)
      report('addWarning', where, `${path} has no schema, so its completeness cannot be measured`, 'set one: schema: prd-v1');
    else if (!sections) report('addError', where, `${schema} is a data schema: ${path} has no completeness`, 'remove min_completeness');
    else
      for (const name of Array.isArray(requiredSections) ? requiredSections.filter((one) => !sections.includes(one)) : []) {
        const [suggestion] = findNearest(name, sections, 1);
        report('addError', where, `${schema} has no section ${JSON.stringify(name)}`, `did you mean ${suggestion ?? sections[0]}?`);
      }
  }
}
