import { type BaseIssue, safeParse } from 'valibot';
import { commandFor, commandsOf, flagOf } from '#core/command-line.ts';
import type { CommandDefinition } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Gateway } from '#core/model/audit.ts';
import { type Shape, shapesOf } from '#core/shape.ts';
import { nearest } from '#lib/nearest.ts';

/** The parameters as the schema makes them, or the refusal: a call of the wrong shape (2) goes before a broken rule (6). */
export function parseParams(operation: CommandDefinition, input: unknown, paths?: Record<string, string>): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new CleoError('E_INVALID_INPUT', { problem: 'params must be an object', fix: helpFor(operation) });
  const given = operation.paramAliases ? renamed(input, operation.paramAliases) : (input as Record<string, unknown>);
  const parsed = safeParse(operation.params, given);
  if (parsed.success) return parsed.output as Record<string, unknown>;
  const issues = parsed.issues as BaseIssue<unknown>[];
  const shape = issues.find((issue) => issue.kind === 'schema');
  throw shape ? wrongShape(operation, given, shape, paths) : brokenRule(operation, issues[0] as BaseIssue<unknown>);
}

/** Whether it would not be refused with 2. */
export function hasShape(operation: CommandDefinition, input: Record<string, unknown>): boolean {
  const parsed = safeParse(operation.params, operation.paramAliases ? renamed(input, operation.paramAliases) : input);
  return parsed.success || !parsed.issues.some((issue) => issue.kind === 'schema');
}

/** A parameter that is given under two names keeps the second one, and is refused for it. */
function renamed(input: object, also: Record<string, string>): Record<string, unknown> {
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    const known = Object.hasOwn(also, name) ? also[name]! : name;
    given[Object.hasOwn(input, known) || known in given ? name : known] = value;
  }
  return given;
}

/** The call came through the door for the other kind of operation; the way out names the right one. */
export function wrongDoor(
  operation: CommandDefinition,
  fits: 'query' | 'mutate',
  { params, gateway }: { params: unknown; gateway: Gateway },
): CleoError {
  const [domain = '', ...rest] = operation.name.split('.');
  const isHttp = gateway === 'http';
  const door = isHttp ? `POST /api/${fits}/${domain}/${rest.join('.')}` : `cleo_${fits}`;
  const error = new CleoError('E_INVALID_INPUT', {
    problem: `${operation.name} ${fits === 'query' ? 'reads' : 'writes'}: ask ${door}`,
    fix:
      (typeof params === 'object' && params !== null && commandWithin(operation, params as Record<string, unknown>)) || helpFor(operation),
  });
  error.alternatives.push({
    action: `Ask ${door}`,
    command: error.fix,
    call: { gateway: isHttp ? fits : `cleo_${fits}`, domain, operation: rest.join('.'), params },
  });
  return error;
}

export const helpFor = (operation: CommandDefinition): string => `cleo help ${commandsOf(operation)[0] ?? operation.name}`;

function wrongShape(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  issue: BaseIssue<unknown>,
  paths: Record<string, string> | undefined,
): CleoError {
  const shapes = shapesOf(operation.params);
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const field = path[0] ?? '';
  const shape = shapes.find((s) => s.name === field);
  if (!shape) return unknownName(operation, input, field, shapes);
  if (issue.received === 'undefined' && path.length === 1)
    return new CleoError('E_INVALID_INPUT', { problem: `${nameOf(operation, shape)} is required`, fix: helpFor(operation), field });
  const near = shape.choices && typeof issue.input === 'string' ? nearest(issue.input, shape.choices) : [];
  const corrected = near.length === 1 && shape.type === 'text' ? { ...input, [field]: near[0] } : undefined;
  return new CleoError('E_INVALID_INPUT', {
    problem: `${path.length > 1 ? path.join('.') : nameOf(operation, shape)}: ${shape.choices ? `${shown(issue.input)} is not one of ${shape.choices.join(', ')}` : `${expected(issue)}, received ${shown(issue.input)}`}`,
    fix: (corrected && commandWithin(operation, corrected, paths)) ?? idHint(issue.input, shape) ?? helpFor(operation),
    field,
    ...(near.length ? { near } : {}),
  });
}

function unknownName(operation: CommandDefinition, input: Record<string, unknown>, field: string, shapes: Shape[]): CleoError {
  const free = shapes.map((s) => s.name).filter((name) => input[name] === undefined);
  const near = nearest(field, free);
  const { [field]: value, ...rest } = input;
  const corrected = near.length === 1 && near[0] ? commandWithin(operation, { ...rest, [near[0]]: value }) : undefined;
  return new CleoError('E_INVALID_INPUT', {
    problem: `${operation.name} has no parameter ${shown(field)}${near.length ? `; did you mean ${near.map((n) => `${n} (${flagOf(n)})`).join(' or ')}?` : ''}`,
    fix: corrected ?? helpFor(operation),
    field: field.slice(0, 100),
    ...(near.length ? { near } : {}),
  });
}

function brokenRule(operation: CommandDefinition, issue: BaseIssue<unknown>): CleoError {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  return new CleoError('E_VALIDATION', {
    field: path.findLast((step) => !/^\d+$/.test(step)) ?? path[0] ?? 'params',
    problem: issue.message,
    fix: helpFor(operation),
  });
}

/** A misspelt id: the digits in it are the best lead there is. */
function idHint(input: unknown, shape: Shape): string | undefined {
  if (shape.value !== 'T###' || typeof input !== 'string') return undefined;
  const digits = /[1-9]\d{0,14}/.exec(input)?.[0];
  return digits ? `cleo find --id ${digits}` : undefined;
}

const nameOf = (operation: CommandDefinition, shape: Shape): string =>
  operation.cli.args?.includes(shape.name) ? shape.name : `${shape.name} (${flagOf(operation.cli.read?.[shape.name]?.flag ?? shape.name)})`;
const shown = (value: unknown): string => {
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

/** Valibot's own words repeat the value, however long it is. */
const expected = (issue: BaseIssue<unknown>): string =>
  issue.message.startsWith('Invalid ') ? `expected ${issue.expected ?? 'something else'}` : issue.message;

/** The corrected call as a command, where that is all that was wrong with it and it can be printed as one short line. */
function commandWithin(operation: CommandDefinition, params: Record<string, unknown>, paths?: Record<string, string>): string | undefined {
  if (!hasShape(operation, params)) return undefined;
  const command = commandFor(operation, params, [], paths);
  return command.length <= 500 && !/[\0-\x1f]/.test(command) ? command : undefined;
}
