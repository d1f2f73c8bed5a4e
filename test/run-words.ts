import type { App } from '../src/dispatch/dispatch.ts';
import { isPlainObject } from '../src/lib/collections.ts';
import { parseJson } from '../src/lib/parse-json.ts';
import { createDemoApp } from '../src/main.ts';
import { runCli, type Terminal } from '../src/surfaces/cli/run.ts';

/** Runs the words after `cleo` in this process, without a terminal. */
export async function runWordsInApp(
  app: App,
  env: Record<string, string>,
  words: string[],
  // biome-ignore lint/suspicious/noExplicitAny: tests read success and error envelopes of many shapes
): Promise<{ exitCode: number; out: string; envelope: Record<string, any> }> {
  let out = '';
  const terminal: Terminal = {
    isTerminal: false,
    columns: 80,
    hasColour: false,
    isDebugging: false,
    format: 'json',
    write: (text) => {
      out += text;
    },
    writeError: () => {},
    appAt: (folder) => createDemoApp(folder, env.PATH ?? process.env.PATH, '0.0.0-test'),
    start: async () => 0,
  };
  const exitCode = await runCli(app, words, terminal);
  // Raw output can be several lines of JSON, which are not an envelope.
  const envelope = parseJson(out);
  return { exitCode, out, envelope: isPlainObject(envelope) ? envelope : {} };
}
