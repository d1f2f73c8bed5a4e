import { defined } from '#lib/collections.ts';
import type { CaptureSpec, ExitCodeNames, GoalSpec, JudgeSpec, SkillSpec } from '../../model/construct.ts';
import {
  CapturePart,
  ExitCodePart,
  GoalPart,
  JudgePart,
  listPartKeys,
  manifestLimits,
  RubricPart,
  SkillPart,
} from '../../model/construct-file.ts';
import { exitClasses } from '../../model/skill-exit.ts';
import { findClassByName } from '../skill-contract.ts';
import { createSkillSpec, defaultCapture, findManifestPathProblem, findSkillNameProblem, noGoal } from './conventions.ts';
import type { YamlNode, YamlReader } from './read.ts';

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

/** Reads a program and its arguments. */
export function readArgv(reader: YamlReader, node: YamlNode): string[] | undefined {
  if (!reader.isPresent(node)) return undefined;
  const argv = reader.isList(node) ? reader.texts(node) : [];
  if (argv.length === 0 || argv[0] === '') reader.addError(node, 'must be a list: the program and its arguments');
  return argv.length === 0 || argv[0] === '' ? undefined : argv;
}
