import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleoPath, cleoRunner } from './built-cli.ts';
import { getDiskFolder } from './memory-folder.ts';
import { grantPerson, personToken } from './person-token.ts';

/** Returns the page with the current output of its commands. Output that differs only in times, ids and similar is not replaced. */
export async function runPage(page: string): Promise<string> {
  // Lines are wrapped, so the output depends on the length of the path.
  const home = mkdtempSync(join(getDiskFolder(), 'cleo-docs-'));
  mkdirSync(join(home, 'parser'));
  const shell = openShell(home);
  try {
    const lines = page.split('\n');
    const result: string[] = [];
    while (lines.length > 0) {
      const line = lines.shift()!;
      result.push(line);
      const before = /^<!-- before: (.*) -->$/.exec(line);
      if (before) await shell.run(before[1]!);
      if (line === '```console') while (lines[0] !== '```') result.push(...(await runCommand(lines, shell)));
    }
    return result.join('\n');
  } finally {
    shell.close();
    rmSync(home, { recursive: true, force: true });
  }
}

type Shell = ReturnType<typeof openShell>;

/** Runs one command of a block and returns it with its output. */
async function runCommand(lines: string[], shell: Shell): Promise<string[]> {
  const command = [lines.shift()!];
  const end = /<<\s*'?(\w+)'?/.exec(command[0]!)?.[1];
  while (end && command.at(-1) !== end) command.push(lines.shift()!);
  const shown: string[] = [];
  while (lines[0] !== '```' && !lines[0]!.startsWith('$ ')) shown.push(lines.shift()!);
  // A server does not end by itself, so it is not run.
  if (/^\$ cleo (serve|mcp)\b/.test(command[0]!)) return [...command, ...shown];
  const printed = (await shell.run(command.join('\n').replace(/^\$ /, ''))).map((line) => line.trimEnd());
  shell.recordIds(shown.join('\n'), printed.join('\n'));
  return [...command, ...(matchesOutput(shown, printed) ? shown : printed.map(shell.toPageIds))];
}

/** A line with only `…` matches any lines. */
function matchesOutput(shown: string[], printed: string[]): boolean {
  const parts = normalizeOutput(shown.join('\n')).split(/^…$/m);
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*');
  return new RegExp(`^${pattern}$`).test(normalizeOutput(printed.join('\n')));
}

const idPattern = /session-\d{13}-[0-9a-f]{6}|run-[0-9a-z]{8}[0-9a-f]{6}|rv-[0-9a-f]{10}/g;

const changingTexts: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d([T ])\d\d:\d\d(:\d\d\.\d{3}Z)?/g, 'TIME'],
  [/\d{8}T\d{9}Z/g, 'STAMP'],
  [idPattern, 'ID'],
  [/\b01[0-9a-z]{18}\b/g, 'UID'],
  [/\b[0-9a-f]{16}\b/g, 'REPLICA'],
  [/\d{4}-\d\d-\d\d(?=-ID)/g, 'DAY'],
  [/(?<=^- )\d{4}-\d\d-\d\d(?= \S+: )/gm, 'DAY'],
  [/\b\d+(\.\d)? s\b/g, 'SECONDS'],
  [/\b\d+ ms\b/g, 'DURATION'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b[0-9a-f]{40}\b/g, 'COMMIT'],
  [/(?<=^ +)[0-9a-f]{12}(?= {2}\S)/gm, 'DIGEST'],
  [/(?<=^## \[[\d.]+\] - )\d{4}-\d\d-\d\d$/gm, 'DAY'],
  [/(?:node|bun) [\d.]+, SQLite [\d.]+/g, 'RUNTIME'],
  [/"version":"[^"]*"/g, 'VERSION'],
  // A prompt names the folder of the project, whose length depends on the machine.
  [/\b\d{4} tokens\b/g, 'TOKENS'],
  [/(?<=size {2,}|manual {2,}|replaced {2,})\d+/g, 'SIZE'],
];
const normalizeOutput = (text: string): string => changingTexts.reduce((all, [pattern, word]) => all.replace(pattern, word), text);

/** Opens a shell in which `cleo` prints for people, as on a terminal. */
function openShell(home: string) {
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd: join(home, 'parser'),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LOGNAME: 'ada',
      NO_COLOR: '1',
      CLEO_TOKEN: personToken.secret,
      node: cleoRunner,
      built: cleoPath,
      ...identity,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  shell.stdin.write(`exec 2>&1
cleo() {
  local word
  for word in "$@"; do case "$word" in --json | --quiet | -q) "$node" "$built" "$@"; return ;; esac; done
  "$node" "$built" "$@" --human
}
`);
  let output = '';
  let wake = (): void => {};
  shell.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    wake();
  });
  const granted = new Set<string>();
  /** The commands of a page are those of a person, unless the page names an agent. */
  const grantInFolder = async (folder: string): Promise<void> => {
    if (granted.has(folder) || !existsSync(join(folder, '.cleo', 'cleo.db'))) return;
    granted.add(folder);
    await grantPerson(folder, { HOME: home });
  };
  // Sessions, runs and reviews get new ids each time; the ids on the page are mapped to the current ones.
  const ids = new Map<string, string>();
  return {
    async run(command: string): Promise<string[]> {
      const real = command.replace(idPattern, (id) => ids.get(id) ?? id);
      shell.stdin.write(`${real}\nended=$?; printf '\\0%s %s\\0' $ended "$PWD"; (exit $ended)\n`);
      while (!/\0\d+ [^\0]+\0$/.test(output))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const [end = '', folder = ''] = /\0\d+ ([^\0]+)\0$/.exec(output) ?? [];
      const text = output.slice(0, -end.length).replaceAll(home, '/home/ada');
      output = '';
      await grantInFolder(folder);
      return text === '' ? [] : text.replace(/\n$/, '').split('\n');
    },
    recordIds(shown: string, printed: string): void {
      const now = [...printed.matchAll(idPattern)].map(([id]) => id);
      [...shown.matchAll(idPattern)].forEach(([id], i) => {
        if (now[i] && !ids.has(id)) ids.set(id, now[i]);
      });
    },
    /** Replaces the current ids by those on the page. */
    toPageIds: (line: string): string => [...ids].reduce((text, [shown, now]) => text.replaceAll(now, shown), line),
    close: () => void shell.kill(),
  };
}

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};
