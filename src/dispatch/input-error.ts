import type { BaseIssue } from 'valibot';
import { describeParams, findParam, formatCommand, listCommandNames, type ParamShape, toArgv, toFlag } from '#core/command-line.ts';
import type { CommandDefinition, Operation } from '#core/define.ts';
import { commandLine, toGatewayCall } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Gateway } from '#core/model/audit.ts';
import { parseTaskId } from '#core/model/scalars.ts';
import { matchParamName } from '#core/rules/param-names.ts';
import { guessChoice } from '#core/rules/words.ts';
import { formatSignature } from '#core/signature.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { slugify } from '#lib/slug.ts';
import type { Call } from './call-context.ts';
import { isValidShape } from './dispatch.ts';
import { correctParams } from './lenient-params.ts';

/** The surface of a call that does not parse, and the files that it read parameters from. */
export interface CallOrigin {
  gateway?: Gateway;
  paths?: Record<string, string>;
}

/** Creates the error of a call through the wrong gateway; its call repeats the parameters through the right one. */
export function createWrongGatewayError(
  operation: CommandDefinition,
  expected: 'query' | 'mutate',
  { params, gateway, session, agent, idempotencyKey }: Pick<Call, 'params' | 'gateway' | 'session' | 'agent' | 'idempotencyKey'>,
): CleoError {
  const [domain = '', ...rest] = operation.name.split('.');
  const entryPoint = gateway === 'http' ? `POST /api/${expected}/${domain}/${rest.join('.')}` : `cleo_${expected}`;
  const isShaped = isPlainObject(params) && isValidShape(operation, params);
  // `tasks.done` asked of the query gateway may mean the tasks that are done. Without a target the write would be to the focused task.
  const target = findParam(operation.params, operation.cli.args?.[0] ?? '');
  const isTargetless = expected === 'mutate' && target?.value === 'T###' && isPlainObject(params) && Object.keys(params).length === 0;
  const valid = isShaped && !isTargetless ? params : undefined;
  const error = new CleoError('E_INVALID_INPUT', {
    problem: `${operation.name} ${expected === 'query' ? 'reads' : 'writes'}; call ${entryPoint}`,
    fix: (valid && formatShortCommand(operation, valid)) || formatHelpCommand(operation),
  });
  // Invalid parameters would fail there as well, so the error suggests the help.
  if (valid)
    error.call = {
      ...toGatewayCall(operation.name, expected, valid),
      ...defined({ session, agent, idempotencyKey: expected === 'mutate' ? idempotencyKey : undefined }),
    };
  return error;
}

const formatHelpCommand = (operation: CommandDefinition): string => `cleo help ${listCommandNames(operation)[0] ?? operation.name}`;

export const createParamsError = (operation: CommandDefinition): CleoError =>
  new CleoError('E_INVALID_INPUT', { problem: 'params must be an object', fix: formatHelpCommand(operation) });

/** Creates the error of parameters that do not parse. A wrong shape (exit 2) is reported before a violated rule (exit 6). */
export function createInputError(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  issues: BaseIssue<unknown>[],
  origin: CallOrigin,
): CleoError {
  const wrong = issues.filter((issue) => issue.kind === 'schema');
  return wrong.length > 0
    ? createShapeError(operation, input, wrong, origin)
    : createRuleError(operation, input, issues[0] as BaseIssue<unknown>);
}

/** One parameter that is unknown, missing or has the wrong type. */
interface InputProblem {
  field: string;
  problem: string;
  suggestions?: string[];
  /** Returns the parameters without the problem, if it can be told what was meant. */
  correct?: (params: Record<string, unknown>) => Record<string, unknown>;
  /** The valid name of an unknown parameter, if there is only one. */
  meant?: string;
  isMissing?: true;
  /** A command that helps with this problem only. */
  fix?: string | undefined;
}

/** More problems than these are not listed: the valid parameters say the rest. */
const maxProblems = 10;

/** Creates an error that names all wrong parameters at once, so that one retry is enough. */
function createShapeError(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  issues: BaseIssue<unknown>[],
  { gateway = 'cli', paths }: CallOrigin,
): CleoError {
  const shapes = describeParams(operation.params);
  const isCli = gateway === 'cli';
  const formatName = (shape: ParamShape): string => (isCli ? formatParamName(operation, shape) : shape.name);
  const reported = [...new Map(issues.map((issue) => [String(issue.path?.[0]?.key ?? ''), issue])).keys()];
  // The schema reports only the first of several unknown parameters.
  const unknown = Object.keys(input).filter((name) => !shapes.some((shape) => shape.name === name));
  const found = [...new Set([...reported, ...unknown])].slice(0, maxProblems).map((field): InputProblem => {
    const shape = shapes.find(({ name }) => name === field);
    const issue = issues.find(({ path }) => String(path?.[0]?.key ?? '') === field);
    return shape && issue
      ? describeWrongParam(input, shape, issue, formatName)
      : describeUnknownParam(operation, input, field, shapes, formatName);
  });
  // A parameter under a misspelt name is not missing too.
  const problems = found.filter(({ field, isMissing }) => !isMissing || !found.some(({ meant }) => meant === field));
  const [first] = problems as [InputProblem];
  const canCorrect = problems.every(({ correct }) => correct);
  const corrected = canCorrect ? problems.reduce((params, { correct }) => correct!(params), input) : undefined;
  const command = corrected && formatShortCommand(operation, corrected, paths);
  const valid = isCli ? '' : `. Valid: ${formatSignature(operation)}`;
  const suggestions = problems.flatMap((problem) => problem.suggestions ?? []);
  return new CleoError('E_INVALID_INPUT', {
    problem: `${problems.map(({ problem }) => problem).join('; ')}${valid}`,
    fix:
      formatSearch(operation, input, unknown) ??
      command ??
      (problems.length === 1 ? first.fix : undefined) ??
      suggestCall(operation, input, paths),
    field: first.field.slice(0, 100),
    ...(problems.length > 1 ? { fields: problems.map(({ field }) => field.slice(0, 100)) } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  });
}

/** Formats the search that is meant by a text passed to a command that does not search. Its filters are repeated. */
export function formatSearch(operation: CommandDefinition, input: Record<string, unknown>, unknown: string[]): string | undefined {
  const { search } = operation.cli;
  const text = search && unknown.find((name) => matchParamName(name, ['query']) !== undefined);
  if (!search || text === undefined || typeof input[text] !== 'string' || input[text].trim() === '') return undefined;
  const filters = Object.fromEntries(Object.entries(input).filter(([name]) => search.params.includes(name)));
  // Without its own words, the rest of the command line is the flags.
  const flags = { ...operation, cli: { command: '' } };
  const argv = isValidShape(flags, filters) ? toArgv(flags, filters).argv.filter((word) => word !== '') : [];
  const command = commandLine(['cleo', search.command, input[text], ...argv]);
  return command.length <= 500 && !/[\0-\x1f]/.test(command) ? command : undefined;
}

function describeWrongParam(
  input: Record<string, unknown>,
  shape: ParamShape,
  issue: BaseIssue<unknown>,
  formatName: (shape: ParamShape) => string,
): InputProblem {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const field = shape.name;
  if (issue.received === 'undefined' && path.length === 1) return { field, problem: `${formatName(shape)} is required`, isMissing: true };
  const suggestions = shape.choices && typeof issue.input === 'string' ? suggestChoices(issue.input, shape.choices) : [];
  const meant = splitIds(input[field], shape) ?? correctChoices(input[field], shape);
  return {
    field,
    problem: `${path.length > 1 ? path.join('.') : formatName(shape)}: ${shape.choices ? `${formatValue(issue.input)} is not one of ${shape.choices.join(', ')}` : `${formatExpected(issue)}, received ${formatValue(issue.input)}`}`,
    suggestions,
    fix: suggestTask(issue.input, shape),
    ...(meant ? { correct: (params) => ({ ...params, [field]: meant }) } : {}),
  };
}

/** Creates the error of an unknown name. With one suggestion, its fix is the same call of that operation. */
export function createUnknownOperationError(
  name: string,
  suggestions: string[],
  suggested: CommandDefinition | undefined,
  params: unknown,
): CleoError {
  const corrected = suggested && correctParams(suggested, params)?.params;
  const fix = suggested && corrected && formatShortCommand(suggested, corrected);
  return new CleoError('E_INVALID_OPERATION', { operation: name.slice(0, 100), suggestions, ...(fix ? { fix } : {}) });
}

/** Suggests by meaning, then by spelling: the priority `1` of another tool may mean high. */
function suggestChoices(word: string, choices: string[]): string[] {
  const guess = guessChoice(word, choices);
  return guess ? [guess] : findNearest(word, choices);
}

/** Formats the call that is probably meant: misspelt names and choices replaced, labels in the form of labels, and parameters left out
 *  that the operation does not have. A write must still name its target, because its default would be another task. */
function suggestCall(operation: CommandDefinition, input: Record<string, unknown>, paths?: Record<string, string>): string {
  const shapes = new Map(describeParams(operation.params).map((shape) => [shape.name, shape]));
  const target = operation.cli.args?.[0];
  const mayOmit = (operation as Partial<Operation>).kind === 'query' || (target !== undefined && input[target] !== undefined);
  const given = Object.entries(input);
  const repaired = given.flatMap(([name, value]): [string, unknown][] => {
    const shape = shapes.get(name);
    if (shape) return [[name, repairValue(shape, value)]];
    const [meant, ...more] = findNearest(name, [...shapes.keys()]);
    if (meant && more.length === 0 && input[meant] === undefined) return [[meant, value]];
    return mayOmit && !meant ? [] : [[name, value]];
  });
  const isChanged =
    repaired.length !== given.length || repaired.some(([name, value], i) => name !== given[i]?.[0] || value !== given[i]?.[1]);
  return (isChanged && formatShortCommand(operation, Object.fromEntries(repaired), paths)) || formatHelpCommand(operation);
}

function repairValue(shape: ParamShape, value: unknown): unknown {
  const { name } = shape;
  if (Array.isArray(value) && /labels$/i.test(name)) return value.every((label) => toLabel(label) === label) ? value : value.map(toLabel);
  return name === 'label' ? toLabel(value) : (correctChoices(value, shape) ?? value);
}

/** Replaces words that are not a choice, in a text or in a list, if each has exactly one suggestion. */
function correctChoices(value: unknown, { type, choices }: ParamShape): string | string[] | undefined {
  if (!choices || (Array.isArray(value) ? type !== 'list' : type !== 'text')) return undefined;
  const words = [value].flat();
  if (words.every((word) => choices.includes(word as string))) return undefined;
  const corrected = words.flatMap((word) => {
    if (typeof word !== 'string' || choices.includes(word)) return [word as string];
    const suggestions = suggestChoices(word, choices);
    return suggestions.length === 1 ? suggestions : [];
  });
  if (corrected.length !== words.length) return undefined;
  return Array.isArray(value) ? corrected : corrected[0];
}

const toLabel = (value: unknown): unknown =>
  typeof value === 'string' ? slugify(value, { maxLength: 50, allow: '._:/-' }) || value : value;

function describeUnknownParam(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  field: string,
  shapes: ParamShape[],
  formatName: (shape: ParamShape) => string,
): InputProblem {
  const free = shapes.filter(({ name }) => input[name] === undefined);
  const suggestions = findNearest(
    field,
    free.map(({ name }) => name),
  );
  const names = suggestions.map((name) => formatName(free.find((shape) => shape.name === name)!));
  const [meant] = suggestions;
  return {
    field,
    problem: `${operation.name} has no parameter ${formatValue(field)}${names.length ? `; did you mean ${names.join(' or ')}?` : ''}`,
    suggestions,
    ...(suggestions.length === 1 && meant ? { meant, correct: ({ [field]: value, ...rest }) => ({ ...rest, [meant]: value }) } : {}),
  };
}

function createRuleError(operation: CommandDefinition, input: Record<string, unknown>, issue: BaseIssue<unknown>): CleoError {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  return new CleoError('E_VALIDATION', {
    field: path.findLast((step) => !/^\d+$/.test(step)) ?? path[0] ?? 'params',
    problem: issue.message,
    fix: suggestCall(operation, input),
  });
}

/** Suggests the task with the digits of a malformed id. A text with several numbers may mean any of them. */
function suggestTask(input: unknown, shape: ParamShape): string | undefined {
  if (shape.value !== 'T###' || typeof input !== 'string') return undefined;
  const [digits = '', ...more] = input.match(/\d+/g) ?? [];
  const id = more.length > 0 ? undefined : parseTaskId(digits);
  return id === undefined ? undefined : `cleo show ${id}`;
}

/** Splits a text with several ids, `T002,T003` or `T002 T003`, which was passed as one id or instead of a list. */
function splitIds(input: unknown, shape: ParamShape): string[] | undefined {
  if (shape.value !== 'T###' || shape.type !== 'list') return undefined;
  const texts = [input].flat();
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const ids = texts
    .join(',')
    .split(/[\s,;]+/)
    .filter(Boolean);
  return ids.length > 0 && ids.every((id) => parseTaskId(id) !== undefined) ? ids : undefined;
}

const formatParamName = (operation: CommandDefinition, shape: ParamShape): string =>
  operation.cli.args?.includes(shape.name) ? shape.name : `${shape.name} (${toFlag(operation.cli.read?.[shape.name]?.flag ?? shape.name)})`;
const formatValue = (value: unknown): string => {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 60))
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object' && value !== null
          ? 'an object'
          : String(value);
  return typeof value === 'string' && value.length > 60 ? `${text}…` : text;
};

/** Formats the expected type. Valibot's own message repeats the value at any length. */
const formatExpected = (issue: BaseIssue<unknown>): string =>
  issue.message.startsWith('Invalid ') ? `expected ${issue.expected ?? 'something else'}` : issue.message;

/** Formats the corrected call if it is valid and fits on one short line. */
function formatShortCommand(
  operation: CommandDefinition,
  params: Record<string, unknown>,
  paths?: Record<string, string>,
): string | undefined {
  if (!isValidShape(operation, params)) return undefined;
  const command = formatCommand(operation, params, [], paths);
  return command.length <= 500 && !/[\0-\x1f]/.test(command) ? command : undefined;
}
