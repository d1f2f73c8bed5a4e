import type { Capture, ExitCodeNames, GoalSpec, JudgeSpec, SkillSpec } from '../../model/construct.ts';
import { CapturePart, ExitCodePart, GoalPart, JudgePart, keysOf, limits, RubricPart, SkillPart } from '../../model/construct-file.ts';
import { exitClasses } from '../../model/skill-exit.ts';
import { classOfName } from '../exit-class.ts';
import { pathProblem, skillNameProblem } from './names.ts';
import type { Reader, Spot } from './spot.ts';

export function readCapture(reader: Reader, spot: Spot): Capture {
  const at = reader.fields(spot, keysOf(CapturePart));
  const keepsAll = at.retention_days.node !== undefined && !reader.isThere(at.retention_days);
  return {
    enabled: reader.flag(at.enabled) ?? true,
    retentionDays: keepsAll ? null : (reader.number(at.retention_days, limits.days) ?? 30),
    inputs: reader.oneOf(at.include_inputs, ['none', 'hashed', 'full']) ?? 'hashed',
    outputs: reader.oneOf(at.include_outputs, ['none', 'summary', 'full']) ?? 'summary',
  };
}

const noGoal: GoalSpec = { mode: 'off', enforce: false, rubric: [] };

export function readGoal(reader: Reader, spot: Spot, otherwise: GoalSpec = noGoal): GoalSpec {
  if (!reader.isThere(spot)) return otherwise;
  const at = reader.fields(spot, keysOf(GoalPart));
  const rubric = reader.isThere(at.rubric)
    ? reader.items(at.rubric).flatMap((item) => {
        const of = reader.fields(item, keysOf(RubricPart));
        const [id, question] = [reader.text(of.id), reader.text(of.question)];
        if (id === undefined || question === undefined) {
          reader.error(item, 'needs an id and a question');
          return [];
        }
        return [{ id, question, weight: reader.number(of.weight, limits.weight) ?? 1 }];
      })
    : otherwise.rubric;
  return {
    mode: reader.oneOf(at.mode, ['off', 'judge', 'review', 'judge_then_review']) ?? otherwise.mode,
    enforce: reader.flag(at.enforce) ?? otherwise.enforce,
    rubric,
  };
}

export function readJudge(reader: Reader, spot: Spot): JudgeSpec | undefined {
  if (!reader.isThere(spot)) return undefined;
  const at = reader.fields(spot, keysOf(JudgePart));
  const command = readArgv(reader, at.command);
  if (!command) {
    if (!reader.isThere(at.command)) reader.error(spot, 'needs a command');
    return undefined;
  }
  const votes = reader.number(at.votes, limits.votes) ?? 1;
  if (votes % 2 === 0) reader.error(at.votes, 'must be odd, so that there is a majority');
  return {
    command,
    timeoutMs: reader.number(at.timeout_ms, limits.milliseconds) ?? 60_000,
    maxRetries: reader.number(at.max_retries, limits.retries) ?? 1,
    votes,
    minScore: reader.number(at.min_score, limits.share) ?? 0.7,
  };
}

/** Names for codes, and what they thereby mean. Zero is success by any name. */
export function readExitCodes(reader: Reader, spot: Spot): ExitCodeNames {
  if (!reader.isThere(spot)) return {};
  const found: ExitCodeNames = {};
  for (const [key, value] of reader.entries(spot)) {
    const code = /^\d{1,3}$/.test(key) ? Number(key) : 256;
    if (code > 255) {
      reader.error(value, `${JSON.stringify(key)} is no exit code; they are 0 to 255`);
      continue;
    }
    const given = readExitCode(reader, value);
    if (!given) continue;
    const meant = given.class ?? classOfName(given.name);
    if (code === 0 && meant !== undefined && meant !== 'success') reader.error(value, '0 is success, whatever it is called');
    else found[code] = given;
  }
  return found;
}

function readExitCode(reader: Reader, spot: Spot): ExitCodeNames[number] | undefined {
  if (!reader.isMap(spot)) {
    const name = reader.text(spot);
    return name === undefined ? undefined : { name };
  }
  const at = reader.fields(spot, keysOf(ExitCodePart));
  const name = reader.text(at.name);
  const given = reader.oneOf(at.class, exitClasses);
  if (name === undefined && given === undefined) return undefined;
  return { name: name ?? given!, ...(given ? { class: given } : {}) };
}

/** A skill that names its phase, and where. */
export interface DeclaredSkill {
  name: string;
  phase: string;
  phaseAt: Spot;
}

export function readSkills(reader: Reader, spot: Spot): { skills: SkillSpec[]; declared: DeclaredSkill[] } {
  const found = new Map<string, SkillSpec>();
  const declared: DeclaredSkill[] = [];
  for (const item of reader.isThere(spot) ? reader.items(spot) : []) {
    const skill = reader.isMap(item) ? readSkill(reader, item) : nameOnly(reader.text(item));
    if (!skill) continue;
    const { name, phase } = skill;
    const problem = skillNameProblem(name);
    if (problem) reader.error(item, problem);
    if (found.has(name)) reader.error(item, `${name} is declared twice`);
    found.set(name, skill);
    if (phase !== undefined) declared.push({ name, phase, phaseAt: new Map(reader.entries(item)).get('phase')! });
  }
  return { skills: [...found.values()], declared };
}

const nameOnly = (name: string | undefined): SkillSpec | undefined =>
  name === undefined ? undefined : { name, required: true, shell: false, env: [], credentials: [] };

function readSkill(reader: Reader, spot: Spot): SkillSpec | undefined {
  const at = reader.fields(spot, keysOf(SkillPart));
  const name = reader.text(at.name) ?? reader.text(at.slug);
  if (name === undefined) {
    reader.error(spot, 'needs a name');
    return undefined;
  }
  const shell = reader.flag(at.shell) ?? false;
  const run = reader.isThere(at.run) ? readRun(reader, at.run, shell) : undefined;
  const phase = reader.text(at.phase);
  const path = reader.text(at.path);
  const misplaced = path === undefined ? undefined : pathProblem(path);
  if (misplaced) reader.error(at.path, `${JSON.stringify(path)} ${misplaced}`);
  const timeoutMs = reader.number(at.timeout_ms, limits.milliseconds);
  const maxRetries = reader.number(at.max_retries, limits.retries);
  return {
    name,
    required: reader.flag(at.required) ?? true,
    shell,
    env: reader.texts(at.env),
    credentials: reader.texts(at.credentials),
    ...(phase === undefined ? {} : { phase }),
    ...(path === undefined ? {} : { path }),
    ...(run ? { run } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  };
}

function readRun(reader: Reader, spot: Spot, shell: boolean): string[] | undefined {
  if (reader.isList(spot)) return readArgv(reader, spot);
  const line = reader.text(spot);
  if (line !== undefined && !shell) reader.error(spot, 'is one line for a shell', 'write it as a list, or say shell: true');
  return line !== undefined && shell ? [line] : undefined;
}

/** A program and its arguments. */
export function readArgv(reader: Reader, spot: Spot): string[] | undefined {
  if (!reader.isThere(spot)) return undefined;
  const argv = reader.isList(spot) ? reader.texts(spot) : [];
  if (argv.length === 0 || argv[0] === '') reader.error(spot, 'must be a list: the program and its arguments');
  return argv.length === 0 || argv[0] === '' ? undefined : argv;
}
