import type { Globals } from '#core/command-line.ts';
import type { App, Reply } from '#dispatch/dispatch.ts';
import { formatJson, type Terminal } from './run.ts';

/** Prints an answer in another form than one line of JSON: selected fields, ids only, or text for people. */
export async function printText(
  { registry, platform }: Pick<App, 'registry' | 'platform'>,
  { envelope, operation }: Reply,
  globals: Globals,
  terminal: Terminal,
  isJson: boolean,
): Promise<void> {
  const { pickFields, formatQuiet } = await import('./select.ts');
  const picked = globals.fields ? pickFields(envelope, globals.fields.split(',')) : envelope;
  if (globals.quiet && envelope.success) return terminal.write(formatQuiet(picked));
  if (isJson) return terminal.write(await formatJson(picked));
  const { renderAnswer } = await import('./render-answer.ts');
  const { columns, isTerminal } = terminal;
  // Line breaks cost tokens, so a prompt is not wrapped.
  const isForPrompt = !isTerminal && operation?.cli.isPrompt === true;
  const hasColour = envelope.success ? terminal.hasColour : (terminal.hasErrorColour ?? terminal.hasColour);
  const text = await renderAnswer(picked, {
    columns: isForPrompt ? Number.POSITIVE_INFINITY : columns,
    hasColour: (globals.color === undefined || globals.color === 'auto' ? hasColour : globals.color === 'always') && !isForPrompt,
    hasLocalTime: isTerminal,
    hasLimit: operation !== undefined && 'limit' in operation.params.entries,
    registry,
    view: operation?.cli.view,
  });
  if (!envelope.success) terminal.writeError(text);
  else if (isTerminal && !globals.noPager && operation?.kind === 'query')
    await (await import('./pager.ts')).printByPage(platform, text, terminal);
  else terminal.write(text);
}
