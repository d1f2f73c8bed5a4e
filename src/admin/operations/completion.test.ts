import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0;

const world = ['T001 epic: Read recipes', 'T002 in T001: Write the parser', 'trace run-1', 'trace run-2', 'review rv-1 of run-1'];

/** Opens a project with two tasks, two runs, a review and a session. */
async function openProject() {
  const app = await openApp({ tasks: world });
  const { session } = await app.call('session.start', { scope: 'global', name: 'Parser', focus: 'T002' });
  writeFileSync(join(app.root, 'script'), '');
  const complete = async (words: string[]) => (await app.cli(['__complete', '--', ...words])).out.split('\n').filter(Boolean);
  return { ...app, complete, session: session.id as string };
}

const cases: [string[], string[]][] = [
  [['ad'], ['add', 'add-batch']],
  [['foc'], ['focus']],
  [
    ['focus', 's'],
    ['set', 'show'],
  ],
  [['--json', 'sho'], ['show']],
  [['--session', 'x', 'sho'], ['show']],
  [
    ['add', '--descr'],
    ['--description', '--description-file'],
  ],
  [['add', '--idem'], ['--idempotency-key']],
  [
    ['add', '--type', ''],
    ['epic', 'saga', 'subtask', 'task'],
  ],
  [['add', 'Title', '--priority', 'h'], ['high']],
  [['add', 'Title', '--description', ''], []],
  [['add', 'Title', '--type=ep'], ['--type=epic']],
  [['add', '--', '--ty'], []],
  [
    ['show', 'T00'],
    ['T001', 'T002'],
  ],
  [['show', 'T001', ''], []],
  [['add', 'Title', '--parent', 'T001'], ['T001']],
  [
    ['update', 'T001', '--depends', 'T001,T00'],
    ['T001,T001', 'T001,T002'],
  ],
  [['session', 'start', '--scope', 'e'], ['epic:']],
  [['session', 'start', '--scope', 'epic:T0'], ['epic:T001']],
  [['session', 'start', '--scope', 'global', '--na'], ['--name']],
  [['session', 'start', '--scope', 'saga:'], []],
  [
    ['construct', ''],
    ['run', 'show', 'stop', 'validate'],
  ],
  [['construct', 'run', '--cap'], ['--capture']],
  [['construct', 'run', '--capture', 'h'], ['hashed']],
  [['construct', 'run', 'scr'], [':files']],
  [
    ['construct', 'run', '--resume', 'run-'],
    ['run-1', 'run-2'],
  ],
  [
    ['assess', 'compare', 'run-1', 'run-'],
    ['run-1', 'run-2'],
  ],
  [['review', 'resolve', ''], ['rv-1']],
  [['help', 'skill-e'], ['skill-exit-codes']],
  [
    ['help', 'exi'],
    ['exists', 'exit-codes'],
  ],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['list', '--wat'], ['--watch']],
  [['__'], []],
];

test('completes commands, flags, choices, ids and scopes', async () => {
  const { complete } = await openProject();
  const values = [];
  for (const [words] of cases) values.push([words, (await complete(words)).map((line) => line.split('\t')[0]).sort()]);
  expect(values).toEqual(cases);
});

test('completes sessions and describes candidates', async () => {
  const { complete, session } = await openProject();
  expect(await complete(['session', 'resume', 'session-'])).toEqual([`${session}\tParser`]);
  expect(await complete(['show', 'T001', '--session', 'session-'])).toEqual([`${session}\tParser`]);
  expect(await complete(['show', 'T002'])).toEqual(['T002\tWrite the parser']);
  expect(await complete(['comple'])).toContainEqual(expect.stringMatching(/^complete\t\S/));
});

test('prints nothing on an error and writes nothing', async () => {
  const { cli, complete, call } = await openProject();
  const before = (await call('admin.log')).entries;
  expect(await complete(['nonsense', 'T'])).toEqual([]);
  expect(await complete(['show', 'T001', '--session', 'no such session', '--ty'])).toEqual([]);
  expect(await cli(['__complete'])).toMatchObject({ exitCode: 0 });
  expect((await call('admin.log')).entries).toEqual(before);
  expect(JSON.stringify(await call('admin.help', { tier: 2 }))).not.toContain('__complete');
});

/** Loads the script of a shell and a `cleo` that prints what `__complete` answers to `words`. */
async function openShell(name: 'bash' | 'zsh' | 'fish', words: string[]) {
  const { root, call, complete } = await openProject();
  const { script } = await call('admin.completion', { shell: name });
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'answer'), (await complete(words)).map((line) => `${line}\n`).join(''));
  writeFileSync(join(root, 'bin', 'cleo'), `#!/bin/sh\nfor word in "$@"; do echo "$word"; done >'${root}/asked'\ncat '${root}/answer'\n`);
  chmodSync(join(root, 'bin', 'cleo'), 0o755);
  writeFileSync(join(root, 'script'), script);
  const run = (text: string): string => {
    const options = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[name];
    const env = { PATH: `${join(root, 'bin')}:${process.env.PATH}`, HOME: root };
    const { stdout, stderr } = spawnSync(name, [...options, text], { encoding: 'utf8', cwd: root, env });
    expect(stderr).toBe('');
    return stdout;
  };
  const asked = () => (existsSync(join(root, 'asked')) ? readFileSync(join(root, 'asked'), 'utf8').split('\n').slice(2, -1) : []);
  return { run, asked, script: join(root, 'script') };
}

const toShell = (expected: string[]): string[] => (expected[0] === ':files' ? ['script'] : expected);

test.each(cases)('bash completes %j to %j', async (words, expected) => {
  const { run, asked, script } = await openShell('bash', words);
  const typed = ['cleo', ...words].map((word) => `'${word}'`).join(' ');
  const out = run(`source '${script}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _cleo; printf '%s\\n' "\${COMPREPLY[@]-}"\n`);
  expect(out.split('\n').filter(Boolean).sort()).toEqual(toShell(expected));
  expect(asked()).toEqual(words);
});

test.each([
  ['add --type = ep', 4, ['add', '--type=ep'], 'epic'],
  ['session start --scope epic : T0', 6, ['session', 'start', '--scope', 'epic:T0'], 'T001'],
  ['session start --scope epic :', 5, ['session', 'start', '--scope', 'epic:'], 'T001'],
  ['session start --scope epic : T001 --na', 7, ['session', 'start', '--scope', 'epic:T001', '--na'], '--name'],
])('bash joins the words of %j, which it splits at = and :', async (line, last, words, expected) => {
  const { run, asked, script } = await openShell('bash', words);
  expect(run(`source '${script}'; COMP_WORDS=(cleo ${line}); COMP_CWORD=${last}; _cleo; echo "\${COMPREPLY[@]}"\n`)).toBe(`${expected}\n`);
  expect(asked()).toEqual(words);
});

test('bash loads the script without output', async () => {
  const { run, script } = await openShell('bash', []);
  expect(run(`set -eu; source '${script}'; complete -p cleo ct`)).toBe('complete -F _cleo cleo\ncomplete -F _cleo ct\n');
});

// bash is installed wherever these tests run; the other shells are tested where they are installed.
if (isInstalled('fish'))
  test.each(cases)('fish completes %j to %j', async (words, expected) => {
    const { run, asked, script } = await openShell('fish', words);
    const out = run(`source '${script}'; complete -C 'cleo ${words.join(' ')}'\n`);
    const values = out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]);
    expect(values.sort()).toEqual(toShell(expected));
    expect(asked()).toEqual(words);
  });

if (isInstalled('zsh'))
  test('zsh loads the script and passes the words on', async () => {
    const { run, asked, script } = await openShell('zsh', ['show', 'T00']);
    const load = `autoload -U compinit; compinit -u -D; source '${script}'; print \${_comps[cleo]} \${_comps[ct]}`;
    expect(run(load)).toBe('_cleo _cleo\n');
    const describe = `_describe() { print -l "\${(@P)2}" }; words=(cleo show T00); CURRENT=3; _cleo`;
    expect(run(`${load} >/dev/null; ${describe}\n`)).toBe('T001:Read recipes\nT002:Write the parser\n');
    expect(asked()).toEqual(['show', 'T00']);
  });
