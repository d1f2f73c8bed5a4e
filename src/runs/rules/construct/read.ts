import { sha256 } from '#lib/sha256.ts';
import { stageNames } from '#planning/model/lifecycle.ts';
import type { Construct, Finding } from '../../model/construct.ts';
import { AssessmentPart, ConstructFile, ExecutionPart, keysOf, limits, MetadataPart, RedactionPart } from '../../model/construct-file.ts';
import { builtInSchemas } from '../document/schemas.ts';
import { checkAsked, type KnownSchemas, withSchemas } from './asked.ts';
import { readHandoffs } from './handoffs.ts';
import { readPhases } from './phases.ts';
import { readArgv, readCapture, readExitCodes, readGoal, readJudge, readSkills } from './settings.ts';
import { type Reader, readerOf } from './spot.ts';

export interface Reading {
  /** A pack lists skills and has no phases. */
  kind: 'construct' | 'pack' | 'other';
  /** Undefined where an error keeps it from running. */
  construct?: Construct;
  findings: Finding[];
}

export interface ReadOptions {
  /** Of the file's bytes. */
  digest?: string;
  /** The schemas that there are, by id, with the sections of those that are of documents. */
  schemas?: KnownSchemas;
}

const builtIn: KnownSchemas = new Map(builtInSchemas.map(({ id, sections }) => [id, sections.map((section) => section.id)]));

export const largestManifest = 1024 * 1024;

/** What a construct.yaml says, with everything that is wrong with it. An unknown key is never more than a warning: manifests in
 *  the wild carry much that is meant for others. */
export function readConstruct(file: string, text: string, { digest = sha256(text), schemas = builtIn }: ReadOptions = {}): Reading {
  const whole = { where: '', severity: 'error' as const };
  if (text.length > largestManifest) return { kind: 'other', findings: [{ ...whole, problem: 'is larger than 1 MiB' }] };
  const reader = readerOf(text.replace(/^\ufeff/, ''), [...schemas.keys()]);
  if (reader.findings.length > 0) return { kind: 'other', findings: someOf(reader.findings, 'error') };
  if (!reader.isMap(reader.top)) {
    const problem = reader.isThere(reader.top) ? 'is no construct: it has no names at its top' : 'is empty';
    return { kind: 'other', findings: [{ ...whole, line: 1, column: 1, problem }] };
  }
  const names = reader.entries(reader.top).map(([name]) => name);
  const kind = kindOf(reader, names);
  if (kind === 'other') {
    const isConda = names.includes('channels') && names.includes('specs');
    reader.error(
      reader.top,
      isConda
        ? 'is a manifest of conda constructor (channels, specs), another tool with the same file name'
        : 'is no construct: it needs apiVersion: loa/v1 and kind: Construct',
    );
    return { kind, findings: reader.findings };
  }
  const construct = withSchemas(build(reader, file, digest, kind));
  checkAsked(reader, construct, schemas);
  const isFit = reader.findings.every(({ severity }) => severity !== 'error');
  return {
    kind,
    ...(isFit ? { construct } : {}),
    findings: ['error' as const, 'warning' as const].flatMap((one) => someOf(reader.findings, one)),
  };
}

/** More than this nobody reads at once. */
const mostFindings = 100;

/** Of each kind the first, in the order of the file; errors are what has to go first. */
function someOf(all: Finding[], severity: Finding['severity']): Finding[] {
  const found = all.filter((one) => one.severity === severity).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = found.length - mostFindings;
  return more > 0 ? [...found.slice(0, mostFindings), { severity, where: '', problem: `and ${more} more like these` }] : found;
}

function kindOf(reader: Reader, names: string[]): Reading['kind'] {
  const byName = new Map(reader.entries(reader.top));
  const value = (name: string): unknown => (byName.has(name) ? reader.plain(byName.get(name)!) : undefined);
  if (value('apiVersion') === 'loa/v1' && value('kind') === 'Construct') return 'construct';
  return names.includes('schema_version') && [3, 4, '3', '4'].includes(value('schema_version') as number) ? 'pack' : 'other';
}

function build(reader: Reader, file: string, digest: string, kind: Reading['kind']): Construct {
  const at = reader.fields(reader.top, keysOf(ConstructFile));
  const about = reader.fields(at.metadata, keysOf(MetadataPart));
  const how = reader.fields(at.execution, keysOf(ExecutionPart));
  const judged = reader.fields(at.assessment, keysOf(AssessmentPart));
  const { skills, declared } = readSkills(reader, at.skills);
  const goal = readGoal(reader, judged.goal);
  const phases = readPhases(reader, { order: how.phases, phases: at.phases, contracts: at.contracts, gates: judged.gates }, declared, goal);
  const redaction = reader.fields(judged.redaction, keysOf(RedactionPart));
  const executor = readArgv(reader, how.executor);
  const judge = readJudge(reader, judged.judge);
  const maxConcurrency = reader.number(how.max_concurrency, limits.concurrency);
  const lifecycleStage = reader.oneOf(at.lifecycle_stage, stageNames);
  if (lifecycleStage === 'release')
    reader.error(at.lifecycle_stage, 'release is completed with its provenance, which a run does not have', 'cleo lifecycle complete');
  const selection = reader.oneOf(judged.selection, ['heuristic', 'judge', 'review', 'off']) ?? 'heuristic';
  const asksJudge = [goal, ...phases.map((phase) => phase.goal)].some((one) => one?.mode.startsWith('judge')) || selection === 'judge';
  if (asksJudge && !reader.isThere(judged.judge))
    reader.warning(at.assessment, 'asks a judge, and there is none: people are asked instead', 'say judge: {command: [...]}');
  if (kind === 'construct' && phases.length === 0) reader.warning(reader.top, 'has no phases: there is nothing to run');
  return {
    file,
    sha256: digest,
    name: reader.text(about.name) ?? reader.text(at.name) ?? 'construct',
    version: reader.text(about.version) ?? reader.text(at.version) ?? '0.0.0',
    phases,
    handoffs: readHandoffs(reader, judged.handoffs, phases),
    skills,
    type: reader.oneOf(how.type, ['sequential', 'parallel']) ?? 'sequential',
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(executor ? { executor } : {}),
    env: reader.texts(at.env),
    credentials: reader.texts(at.credentials),
    exitCodes: { ...readExitCodes(reader, at.exit_codes), ...readExitCodes(reader, judged.exit_codes) },
    capture: readCapture(reader, judged.capture),
    goal,
    selection,
    ...(judge ? { judge } : {}),
    reviewersRequired: reader.number(judged.reviewers_required, limits.reviewers) ?? 1,
    redaction: { patterns: reader.texts(redaction.patterns), allow: reader.texts(redaction.allow) },
    ...(lifecycleStage === undefined ? {} : { lifecycleStage }),
  };
}
