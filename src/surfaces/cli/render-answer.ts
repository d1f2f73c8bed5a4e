import type { Operation, Registry } from '#core/define.ts';
import {
  createScreen,
  drawFields,
  drawKnownField,
  drawNamed,
  drawNode,
  drawRecord,
  drawRecords,
  drawTree,
  type Fields,
  formatChanges,
  isClaim,
  isEmpty,
  isProgress,
  isRecords,
  isRoot,
  measureWidth,
  narrowScreen,
  prepareWidths,
  type Screen,
  setLocalTime,
  toCell,
  toLabel,
  toOneLine,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import type { Envelope } from '#dispatch/dispatch.ts';
import { isPlainObject } from '#lib/collections.ts';

interface RenderOptions {
  columns: number;
  hasColour: boolean;
  registry: Registry;
  view?: Operation['cli']['view'] | undefined;
  /** Prints times in the zone of the user instead of UTC. */
  hasLocalTime?: boolean;
  /** The command takes `--limit`. */
  hasLimit?: boolean;
}

/** Renders an answer for people: result keys by the forms of the operation's view, or by their shape. */
export async function renderAnswer(envelope: Envelope, options: RenderOptions): Promise<string> {
  const { columns, hasColour, registry, view, hasLocalTime = false, hasLimit } = options;
  setLocalTime(hasLocalTime);
  const screen = createScreen({ columns, hasColour }, envelope._meta.timestamp);
  await prepareWidths(JSON.stringify(envelope));
  const loaded = (await view?.()) ?? { forms: {} };
  const lines = envelope.success
    ? await drawAnswer(envelope, screen, registry, loaded, hasLimit)
    : drawError(envelope.error as Fields, screen, loaded);
  return lines.length ? `${lines.join('\n')}\n` : '';
}

/** Draws the primary data, then plain values in two columns, then every other key under its name. */
async function drawAnswer(envelope: Envelope, screen: Screen, registry: Registry, view: View, hasLimit?: boolean): Promise<string[]> {
  const { _meta: meta, success: _, data, ...result } = envelope;
  const drawSection = (key: string, value: unknown, inner: Screen): string[] | Promise<string[]> =>
    Object.hasOwn(view.forms, key) ? view.forms[key]!(value as never, inner, registry) : drawByShape(key, value, inner);
  const filled = Object.entries(result).filter(([key, value]) => !isEmpty(value) && !view.hiddenKeys?.includes(key));
  const plain = filled.filter(
    ([key, value]) =>
      (isPlain(value) && !(key === meta.resultsField && Array.isArray(value))) || isProgress(key, value) || isRoot(key, value),
  );
  const rest = filled.filter((entry) => !plain.includes(entry));
  const main = view.valuesFirst ? undefined : rest[0];
  const further = main ? rest.slice(1) : rest;
  const references = further.filter(isReference);
  const sections: string[][] = [];
  if (main) sections.push(await drawSection(...main, screen));
  if (plain.length + references.length > 0)
    sections.push([
      ...references.flatMap(([key, value]) => drawReference(key, value as Fields, screen)),
      ...drawFields(Object.fromEntries(plain), screen),
    ]);
  for (const [key, value] of further.filter((entry) => !references.includes(entry))) {
    if (view.titledKeys?.includes(key)) {
      sections.push(await drawSection(key, value, screen));
      continue;
    }
    const body = await drawSection(key, value, narrowScreen(screen, 2));
    sections.push([screen.paint('bold', truncate(toLabel(key), screen.columns)), ...body.map((line) => `  ${line}`.trimEnd())]);
  }
  const primary = result[meta.resultsField ?? ''];
  if (meta.exitCode === 100 && (sections.length === 0 || (Array.isArray(primary) && primary.length === 0 && rest.length === 0)))
    sections.unshift(['Nothing found.']);
  const footer = [
    exitNotes[meta.exitCode ?? 0],
    ...formatChanges(data),
    ...formatTruncation(meta, hasLimit),
    ...(view.printsWarnings ? [] : (meta.warnings ?? [])).map((text) => `warning: ${text}`),
    meta.nudge && `grade ${meta.nudge}`,
  ].filter(Boolean);
  if (footer.length > 0) sections.push(wrap(footer.join(' · '), screen.columns).map((line) => screen.paint('dim', line)));
  return sections.flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}

/** A task that is not the primary data is drawn on one line: `cleo show` prints the rest. */
const isReference = ([key, value]: [string, unknown]): boolean =>
  isClaim(key, value) || (['focus', 'task'].includes(key) && isPlainObject(value) && 'title' in value);

/** Draws a task or a claim next to its name. */
function drawReference(name: string, value: Fields, screen: Screen): string[] {
  const inner = narrowScreen(screen, measureWidth(name) + 2);
  const { id, title, status, type } = value;
  return drawNamed([[name, drawKnownField(name, value, inner) ?? [drawNode({ id, title, status, type }, screen, inner.columns)]]], screen);
}

const isPlain = (value: unknown): boolean =>
  !isPlainObject(value) && !(Array.isArray(value) && value.some((item) => typeof item === 'object'));

function drawByShape(key: string, value: unknown, screen: Screen): string[] {
  if (isRecords(value))
    return (
      drawKnownField(key, value, screen) ??
      (value.some((item) => isRecords(item.children)) ? drawTree(value, screen) : drawRecords(value, screen))
    );
  if (Array.isArray(value)) return value.flatMap((item) => wrap(toCell('', item).text, screen.columns));
  return drawRecord(value as Fields, screen);
}

const exitNotes: Record<number, string> = { 101: 'already exists', 102: 'nothing to change' };

/** Formats how much of a list is shown, and how to get the rest. */
function formatTruncation({ truncated }: Envelope['_meta'], hasLimit = false): string[] {
  if (!truncated) return [];
  const { shown, total, atLeast, next } = truncated;
  const count = `${groupDigits(shown)} of ${atLeast ? 'more than ' : ''}${groupDigits(total)}`;
  return [`${count}${next ? `; continue: ${next}` : hasLimit ? '; --limit 0 for all' : ' shown'}`];
}

const groupDigits = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

function drawError({ code, exitCode, message, fix, alternatives, details }: Fields, screen: Screen, view: View): string[] {
  const { paint, columns } = screen;
  return [
    `${paint('red', toOneLine(String(code)))} ${paint('dim', `(exit ${exitCode})`)}`,
    ...wrap(String(message), columns - 2).map((line) => `  ${line}`),
    ...(isPlainObject(details) ? (view.error ?? drawErrorDetails)(details, String(message), screen) : []),
    // Never cut or wrapped, so that it can be copied.
    `${paint('green', 'fix')}  ${toOneLine(String(fix))}`,
    ...(isRecords(alternatives)
      ? alternatives
          .filter(({ command }) => command !== fix)
          .map((other) => `${paint('dim', 'or')}   ${toOneLine(String(other.command))}  ${paint('dim', toOneLine(String(other.action)))}`)
      : []),
  ];
}

const maxFindings = 20;

/** Draws the findings of an error; checks that passed are left out. */
function drawErrorDetails({ findings }: Fields, _message: string, { paint, columns }: Screen): string[] {
  if (!isRecords(findings)) return [];
  const failed = findings.filter(({ result }) => result !== 'pass');
  const lines = failed.slice(0, maxFindings).flatMap(({ rule, pointer, code, entryId, message, result, severity }) => {
    const name = [rule, pointer, code, entryId].find((part) => part !== undefined && part !== '');
    const isWarning = result === 'warn' || severity === 'warning';
    const [first = '', ...rest] = wrap([name, message].filter((part) => part !== undefined).join('  '), columns - 4);
    return [`  ${isWarning ? paint('yellow', '!') : paint('red', '✗')} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
  return failed.length > maxFindings ? [...lines, paint('dim', `    and ${failed.length - maxFindings} more`)] : lines;
}
