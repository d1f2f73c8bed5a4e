import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const has = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0;

/** A shell with the script loaded, and a `cleo` that knows two tasks, one of them an epic, and two sessions. */
async function shell(name: 'bash' | 'zsh' | 'fish') {
  const { root, call } = await openApp();
  const { script } = await call('admin.completion', { shell: name });
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'cleo'),
    `#!/bin/sh
case "$*" in
  "list --quiet --limit 1000") printf 'T001\\nT002\\n' ;;
  "list --type epic --quiet --limit 1000") printf 'T001\\n' ;;
  "session list --quiet") printf 'session-1-a\\nsession-2-b\\n' ;;
  "trace list --quiet") printf 'run-1\\nrun-2\\n' ;;
  "review list --quiet") printf 'rv-1\\n' ;;
esac
`,
  );
  chmodSync(join(bin, 'cleo'), 0o755);
  writeFileSync(join(root, 'script'), script);
  const run = (text: string) => {
    const bare = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[name];
    const done = spawnSync(name, [...bare, text], { encoding: 'utf8', cwd: root, env: { PATH: `${bin}:${process.env.PATH}`, HOME: root } });
    expect(done.stderr).toBe('');
    return done.stdout;
  };
  return { run, script: join(root, 'script') };
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
  [['add', '--descr'], ['--description']],
  [['add', '--idem'], ['--idempotency-key']],
  [
    ['add', '--type', ''],
    ['epic', 'saga', 'subtask', 'task'],
  ],
  [['add', 'Title', '--priority', 'h'], ['high']],
  [['add', 'Title', '--description', ''], []],
  [
    ['show', 'T00'],
    ['T001', 'T002'],
  ],
  [['add', 'Title', '--parent', 'T001'], ['T001']],
  [
    ['update', 'T001', '--depends', 'T001,T00'],
    ['T001,T001', 'T001,T002'],
  ],
  [
    ['session', 'show', ''],
    ['session-1-a', 'session-2-b'],
  ],
  [['session', 'resume', 'session-2'], ['session-2-b']],
  [
    ['show', 'T001', '--session', 'session-'],
    ['session-1-a', 'session-2-b'],
  ],
  [['session', 'start', '--scope', 'e'], ['epic:']],
  [['session', 'start', '--scope', 'global', '--na'], ['--name']],
  [['session', 'start', '--scope', 'saga:'], []],
  [
    ['construct', ''],
    ['run', 'show', 'validate'],
  ],
  [['construct', 'run', '--cap'], ['--capture']],
  [['construct', 'run', '--capture', 'h'], ['hashed']],
  [['construct', 'run', 'scr'], ['script']],
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
];

test.each(cases)('bash completes %j to %j', async (words, expected) => {
  const { run, script } = await shell('bash');
  const typed = ['cleo', ...words].map((word) => `'${word}'`).join(' ');
  const out = run(`source '${script}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _cleo; printf '%s\\n' "\${COMPREPLY[@]}"\n`);
  expect(out.split('\n').filter(Boolean).sort()).toEqual(expected);
});

test('bash takes a value behind an equals sign, which it makes a word of its own', async () => {
  const { run, script } = await shell('bash');
  expect(run(`source '${script}'; COMP_WORDS=(cleo add --type = ep); COMP_CWORD=4; _cleo; echo "\${COMPREPLY[@]}"\n`)).toBe('epic\n');
});

test('bash, where a colon is a word of its own and where it is not, completes the root of a scope', async () => {
  const { run, script } = await shell('bash');
  const complete = (words: string, last: number) =>
    run(`source '${script}'; COMP_WORDS=(cleo session start --scope ${words}); COMP_CWORD=${last}; _cleo; echo "\${COMPREPLY[@]}"\n`);
  expect(complete('epic : T0', 6)).toBe('T001\n');
  expect(complete('epic :', 5)).toBe('T001\n');
  expect(complete('epic : T001 --na', 7)).toBe('--name\n');
  const whole = `COMP_WORDBREAKS=' '; source '${script}'; COMP_WORDS=(cleo session start --scope epic:T0); COMP_CWORD=4; _cleo`;
  expect(run(`${whole}; echo "\${COMPREPLY[@]}"\n`)).toBe('epic:T001\n');
});

test('bash reads the script without a word', async () => {
  const { run, script } = await shell('bash');
  expect(run(`set -eu; source '${script}'; complete -p cleo ct`)).toBe('complete -F _cleo cleo\ncomplete -F _cleo ct\n');
});

// bash is everywhere that these tests run; the others are asked where they are.
if (has('fish'))
  test.each([...cases, [['session', 'start', '--scope', 'epic:T0'], ['epic:T001']] satisfies (typeof cases)[number]])(
    'fish completes %j to %j',
    async (words, expected) => {
      const { run, script } = await shell('fish');
      const out = run(`source '${script}'; complete -C 'cleo ${words.join(' ')}'\n`);
      const found = out
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]);
      expect(found.sort()).toEqual(expected);
    },
  );

if (has('zsh'))
  test('zsh reads the script and completes by it', async () => {
    const { run, script } = await shell('zsh');
    const load = `autoload -U compinit; compinit -u -D; source '${script}'; print \${_comps[cleo]} \${_comps[ct]}`;
    expect(run(load)).toBe('_cleo _cleo\n');
    expect(run(`${load} >/dev/null; _cleo_values add --type; print $reply; _cleo_next focus; print $#reply\n`)).toBe(
      'saga epic task subtask\n3\n',
    );
  });
