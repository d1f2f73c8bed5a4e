import { listCommandNames } from '#core/command-line.ts';
import type { Operation, Registry } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { PersonScope } from '#core/model/token.ts';
import { isHostAllowed } from '#core/rules/token-scope.ts';
import { parseShellWords } from '#lib/shell-words.ts';
import { mayHaveScope } from './authorize.ts';
import type { CallContext } from './call-context.ts';

/** Replaces the commands of an error that its caller may not run by a request to a person. */
export async function offerFix(ctx: CallContext, error: CleoError): Promise<void> {
  removeUntypable(ctx, error);
  const { fix, details } = error;
  if (await lacksScope(ctx, fix)) {
    error.fix = askPerson(fix);
    delete error.call;
    // A text that ends with the command was derived from it.
    if (details.manual === undefined || String(details.manual).endsWith(fix)) details.manual = error.fix;
  }
  for (const step of error.alternatives) if (await lacksScope(ctx, step.command)) step.command = askPerson(step.command);
}

/** A command that repeats control characters cannot be typed again, and a terminal would obey them. */
function removeUntypable({ operation }: CallContext, error: CleoError): void {
  const isTypable = (line: string): boolean => !/[\0-\x1f\x7f-\x9f]/.test(line);
  if (!isTypable(error.fix)) {
    error.fix = `cleo help ${listCommandNames(operation)[0] ?? operation.name}`;
    delete error.call;
  }
  error.alternatives.splice(0, Infinity, ...error.alternatives.filter(({ command }) => isTypable(command)));
}

async function lacksScope(ctx: CallContext, line: string): Promise<boolean> {
  const found = await findOperation(ctx.app.registry, line);
  if (!found) return false;
  const { operation, params } = found;
  // A client uses its own host.
  if (operation.usesHost && !ctx.call.token?.isClient && !isHostAllowed(ctx.call.token)) return true;
  const scope = findScope(operation, params);
  if (scope === undefined) return false;
  try {
    return !(await mayHaveScope(ctx, scope));
  } catch (error) {
    // A folder or file that cannot be read must not replace the error of the call.
    if (error instanceof CleoError) return false;
    throw error;
  }
}

const findScope = ({ scope }: Operation, params: Record<string, unknown>): PersonScope | undefined =>
  typeof scope !== 'object' ? scope : scope.isNeeded?.(params) ? scope.scope : undefined;

/** Finds the operation of a command line, and as much of its parameters as decides about the scope: arguments by position, and flags
 *  without their values. */
async function findOperation(
  registry: Registry,
  line: string,
): Promise<{ operation: Operation; params: Record<string, unknown> } | undefined> {
  const words = parseShellWords(line) ?? [];
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const [program, ...argv] = words.slice(Math.max(start, 0));
  if (program !== 'cleo' || argv[0] === undefined) return undefined;
  const isPrefix = (command: string): boolean => command.split(' ').every((word, i) => argv[i] === word);
  const [best] = registry
    .findByFirstWord(argv[0])
    .flatMap((entry) => entry.commands.filter(isPrefix).map((command) => ({ entry, length: command.split(' ').length })))
    .sort((a, b) => b.length - a.length);
  if (!best) return undefined;
  const operation = await best.entry.load();
  const rest = argv.slice(best.length);
  const flags = rest.filter((word) => word.startsWith('--')).map((word) => [word.slice(2).replace(/=.*/s, ''), true]);
  const positional = rest.filter((word) => !word.startsWith('-'));
  const args = (operation.cli.args ?? []).map((name, i) => [name, positional[i]]);
  return { operation, params: Object.fromEntries([...flags, ...args]) };
}
