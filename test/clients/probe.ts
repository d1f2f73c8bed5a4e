import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../app.ts';
import { cleoPath } from '../built-cli.ts';
import { type Scratch, writeFile } from './client.ts';

export type Surface = 'server' | 'shell' | 'hook' | 'statusline';

/** The facts that one start of `cleo` had about its client. */
export interface ProbedCall {
  surface: Surface;
  /** Variables of agent clients. */
  variables: Record<string, string>;
  /** Keys of the JSON on standard input: of a hook and a status line the input, of a server `_meta` of each call. */
  input: Json[];
  /** Command lines of the ancestors, the nearest first. */
  ancestors: string[];
}

const variableNames = /^(CLAUDE|CODEX|GEMINI|OPENCODE|CURSOR)/;

/** Replaces `cleo` in the scratch folder by a script that first records what it was started with. The server stays a direct child of
 *  the client. */
export function installProbe({ bin, folder }: Scratch): void {
  writeFile(
    join(bin, 'cleo'),
    `#!/bin/bash
probe=${JSON.stringify(join(folder, 'probe'))}/$$
mkdir -p "$probe"
echo "$*" >"$probe/words"
env -0 >"$probe/env"
ps -axww -o pid=,ppid=,command= >"$probe/processes"
run=(${JSON.stringify(process.execPath)} ${JSON.stringify(cleoPath)} "$@")
case "$1 $2" in
  'mcp '*) exec "\${run[@]}" < <(tee "$probe/input") ;;
  'briefing --hook' | 'context statusline') cat >"$probe/input"; exec "\${run[@]}" <"$probe/input" ;;
  *) exec "\${run[@]}" ;;
esac
`,
  );
  chmodSync(join(bin, 'cleo'), 0o755);
}

export function readProbe({ folder }: Scratch): ProbedCall[] {
  const root = join(folder, 'probe');
  return readdirSync(root)
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => {
      const read = (file: string): string => (existsSync(join(root, name, file)) ? readFileSync(join(root, name, file), 'utf8') : '');
      const surface = toSurface(read('words'));
      return {
        surface,
        variables: readVariables(read('env')),
        input: readInput(surface, read('input')),
        ancestors: listAncestors(Number(name), read('processes')),
      };
    });
}

function toSurface(words: string): Surface {
  if (words.startsWith('mcp')) return 'server';
  if (words.startsWith('context statusline')) return 'statusline';
  return words.startsWith('briefing --hook') ? 'hook' : 'shell';
}

function listAncestors(pid: number, table: string): string[] {
  const rows = new Map(
    [...table.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, id, parent, command = '']) => [Number(id), { parent: Number(parent), command }]),
  );
  const commands: string[] = [];
  for (let row = rows.get(pid); row; row = rows.get(row.parent)) commands.push(row.command);
  return commands.slice(1);
}

const readVariables = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
      .filter(([name]) => variableNames.test(name)),
  );

function readInput(surface: Surface, text: string): Json[] {
  const lines = surface === 'server' ? text.split('\n') : [text];
  const messages = lines.filter((line) => line.trim()).map((line) => JSON.parse(line) as Json);
  return surface === 'server' ? messages.filter(({ method }) => method === 'tools/call').map(({ params }) => params._meta ?? {}) : messages;
}
