import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { quote } from '../src/core/errors/catalog.ts';
import { environmentMarks } from '../src/sessions/model/agent-marks.ts';
import { type Json, openApp } from './app.ts';
import { runCleo, runtimePath } from './built-cli.ts';
import { cleoLine, copyProgram, runAtTerminal, type TerminalAnswer } from './terminal-session.ts';

const decisions = ['memory decision: Tokens are structs', 'memory decision: Lexers are loops', 'memory decision: Parsers are recursive'];
const timeoutMs = 120_000;

async function openProject() {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001', ...decisions] });
  const home = join(app.root, 'home');
  const env = { CLEO_ROOT: app.root, CLEO_HOME: home, HOME: app.root };
  const at = (words: string[], answers: TerminalAnswer[] = [], more: Record<string, string> = {}): Promise<string> =>
    runAtTerminal(cleoLine('--json', ...words), { cwd: app.root, env: { ...env, ...more }, answers });
  const setUser = (values: object): void => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.json'), JSON.stringify(values));
  };
  return { ...app, env, at, setUser };
}

/** The answer is the last line that is JSON; questions are printed before it. */
const readAnswer = (screen: string): Json => JSON.parse(/\{"_meta".*\}/.exec(screen)?.[0] ?? `"${screen.replace(/[^ -~]/g, ' ')}"`);

const typeId = (id: string): TerminalAnswer => [new RegExp(`Type ${id} to confirm: `), `${id}\n`];
const confirm = ['memory', 'confirm', 'D-001'];
const refused = { error: { code: 'E_AUTONOMOUS_BOUNDARY', exitCode: 64 } };

describe('terminal', () => {
  test(
    'every mark of the list is refused with its name at a terminal',
    async () => {
      const { root, env } = await openProject();
      // One process checks all of them, with the code of the command and a real terminal.
      const script = join(root, 'marks.mjs');
      await build({
        stdin: {
          contents: `
            import { createPlatform } from './src/platform/platform.ts';
            import { findMissingProof } from './src/sessions/operations/shared/prove-person.ts';
            import { environmentMarks } from './src/sessions/model/agent-marks.ts';
            const check = async (env) => {
              const platform = createPlatform({ ...process.env, ...env }, process.cwd(), '0');
              return findMissingProof({ platform, gateway: 'cli', caller: platform.caller, now: platform.now() });
            };
            const found = { none: await check({}) ?? null };
            for (const { variables } of environmentMarks)
              for (const variable of variables) {
                const [, name, sign, value = '1'] = /^(\\w+)(?:([=~])(.*))?$/s.exec(variable);
                found[variable] = (await check({ [name]: sign === '~' ? '/opt/' + value + '/bin' : value }))?.problem;
              }
            console.log('\\n' + JSON.stringify(found));`,
          resolveDir: process.cwd(),
          loader: 'ts',
        },
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: script,
        logLevel: 'error',
      });
      const screen = await runAtTerminal(`${runtimePath} ${quote(script)}`, { cwd: root, env });
      const found = JSON.parse(screen.trim().split('\n').at(-1) ?? '') as Record<string, string | null>;
      const variables = environmentMarks.flatMap((row) => row.variables);
      expect(found.none, 'a terminal without marks').toBeNull();
      for (const variable of variables) expect(found[variable], variable).toContain(`variable ${variable.replace(/[=~].*$/s, '')} is set`);
      expect(Object.keys(found)).toHaveLength(new Set(variables).size + 1);
    },
    timeoutMs,
  );

  test(
    'the command refuses variables, agents and programs that make terminals, and names them',
    async () => {
      const { at, root, env } = await openProject();
      const message = async (screen: Promise<string>): Promise<string> => {
        const answer = readAnswer(await screen);
        expect(answer).toMatchObject(refused);
        return answer.error.message;
      };
      expect(await message(at(confirm, [], { CLAUDECODE: '1' }))).toContain('CLAUDECODE');
      expect(await message(at(confirm, [], { GITHUB_ACTIONS: 'true' }))).toMatch(/GITHUB_ACTIONS .*decide\.proof passphrase/);
      expect(await message(at([...confirm, '--agent', 'ada']))).toContain('ada');
      const nested = (line: string): Promise<string> => runAtTerminal(line, { cwd: root, env });
      // An agent makes a terminal for itself.
      expect(await message(nested(`script -qec ${quote(cleoLine('--json', ...confirm))} /dev/null`))).toMatch(/process script \(pid \d+\)/);
      // An agent hides its variables; its process is still there.
      const agent = copyProgram(root, '/bin/sh', 'claude');
      expect(await message(nested(`${agent} -c ${quote(`${cleoLine('--json', ...confirm)}; true`)}`))).toMatch(
        /process claude \(pid \d+\)/,
      );
      const piped = await runCleo(['--json', ...confirm], { cwd: root, env });
      expect(JSON.parse(piped.out).error.message).toContain('no controlling terminal');
    },
    timeoutMs,
  );

  test(
    'a wrong id is refused, the right one is accepted and logged with its evidence',
    async () => {
      const { at, store } = await openProject();
      const wrong = readAnswer(await at(confirm, [[/Type D-001 to confirm: /, 'D-002\n']]));
      expect(wrong).toMatchObject({ error: { ...refused.error, message: expect.stringContaining('D-002 was typed, not D-001') } });
      expect(readAnswer(await at(confirm, [[/Type D-001 to confirm: /, '\n']]))).toMatchObject(refused);
      expect(readAnswer(await at(confirm, [typeId('D-001')]))).toMatchObject({ memory: { confirmation_state: 'accepted' } });
      const [last] = await store.read((reads) => reads.audit.list({}, { limit: 1, offset: 0 }));
      const principal = JSON.parse(last?.principal ?? '');
      expect(principal).toMatchObject({
        kind: 'person',
        via: 'terminal',
        evidence: { subject: 'D-001', typed: 'D-001', terminal: expect.stringMatching(/^\/dev\//) },
      });
      // A program that makes terminals under another name is in the log.
      expect(principal.evidence.processes).toContain('window');
      expect(readAnswer(await at(['memory', 'show', 'D-001']))).toMatchObject({ memory: { proof: { via: 'terminal' } } });
      const supersede = ['memory', 'supersede', 'D-001', '--by', 'D-002'];
      expect(readAnswer(await at(supersede, [], { CLEO_AGENT_ID: 'ada' }))).toMatchObject(refused);
      expect(readAnswer(await at(['proof', 'verify', 'D-001']))).toMatchObject({ proofs: [{ via: 'terminal', state: 'recorded' }] });
    },
    timeoutMs,
  );

  test(
    'a person who thinks does not hold the write lock',
    async () => {
      const { root, env, call } = await openProject();
      let isWritten = false;
      const write = async (): Promise<string> => {
        isWritten = (await call('tasks.add', { title: 'Written while a person thinks' })).success;
        return 'D-001\n';
      };
      const screen = await runAtTerminal(cleoLine('--json', ...confirm), { cwd: root, env, answers: [[/to confirm: /, write]] });
      expect(isWritten).toBe(true);
      expect(readAnswer(screen)).toMatchObject({ memory: { confirmation_state: 'accepted' } });
    },
    timeoutMs,
  );

  test(
    'a person reads the text of the decision, and does not accept another one',
    async () => {
      const { root, env, tamper } = await openProject();
      const change = async (): Promise<string> => {
        await tamper("update memories set content = 'Tokens are classes' where id = 'D-001'");
        return 'D-001\n';
      };
      const screen = await runAtTerminal(cleoLine('--json', ...confirm), { cwd: root, env, answers: [[/to confirm: /, change]] });
      expect(screen).toMatch(/D-001:\s+Tokens are structs\s+Accepting D-001 requires a person/);
      expect(readAnswer(screen)).toMatchObject({ error: { code: 'E_VALIDATION_CONTENT', exitCode: 6 } });
    },
    timeoutMs,
  );

  test(
    'an admin token is created the same way',
    async () => {
      const { at } = await openProject();
      const words = ['token', 'create', '--name', 'ops', '--scope', 'admin'];
      expect(readAnswer(await at(words, [], { CI: '1' }))).toMatchObject({ success: false, error: { exitCode: 64 } });
      expect(readAnswer(await at(words, [[/Type ops to confirm: /, 'admin\n']]))).toMatchObject({ success: false });
      expect(readAnswer(await at(words, [typeId('ops')]))).toMatchObject({ token: { name: 'ops', scope: 'admin' } });
    },
    timeoutMs,
  );
});

const newPassphrase: TerminalAnswer[] = [
  [/New passphrase.*: /, 'correct horse\r'],
  [/Repeat it: /, 'correct horse\r'],
];

describe('passphrase', () => {
  test(
    'is set and changed at a terminal, and proves a person where marks are set',
    async () => {
      const { at, env } = await openProject();
      expect(readAnswer(await at(['proof', 'passphrase'], [typeId('passphrase'), ...newPassphrase]))).toMatchObject({ success: true });
      expect(readFileSync(join(env.CLEO_HOME, 'passphrase.json'), 'utf8')).toContain('scrypt');
      expect(readAnswer(await at(['config', 'set', 'decide.proof', 'passphrase'], [typeId('decide.proof')]))).toMatchObject({
        value: 'passphrase',
      });
      const screen = await at(
        confirm,
        [
          [/Passphrase: /, 'wrong horse\r'],
          [/Passphrase: /, 'correct horse\r'],
        ],
        { CI: '1' },
      );
      expect(readAnswer(screen)).toMatchObject({ memory: { confirmation_state: 'accepted' } });
      expect(screen).not.toContain('horse');
      // The present passphrase is asked before a new one.
      const changed = await at(['proof', 'passphrase'], [[/Passphrase: /, '\r']]);
      expect(readAnswer(changed)).toMatchObject({ success: false });
      expect(changed).not.toContain('New passphrase');
    },
    timeoutMs,
  );

  test(
    'is not taken from flags, variables or standard input, and an agent cannot decide',
    async () => {
      const { at, root, env, setUser } = await openProject();
      setUser({ decide: { proof: 'passphrase' } });
      expect(readAnswer(await at(confirm))).toMatchObject({ error: { message: expect.stringContaining('no passphrase is set') } });
      await at(['proof', 'passphrase'], [typeId('passphrase'), ...newPassphrase]);
      expect(readAnswer(await at([...confirm, '--passphrase', 'correct horse']))).toMatchObject({ error: { exitCode: 2 } });
      const variables = { CLEO_PASSPHRASE: 'correct horse', PASSPHRASE: 'correct horse', SSH_ASKPASS: 'echo', CLEO_TOKEN: 'correct horse' };
      expect(readAnswer(await at(confirm, [[/Passphrase: /, '\r']], variables))).toMatchObject(refused);
      const piped = await runCleo(['--json', ...confirm], { cwd: root, env, stdin: 'correct horse\n' });
      expect(JSON.parse(piped.out)).toMatchObject(refused);
      // The project cannot ask for less than the user.
      writeFileSync(
        join(root, '.cleo', 'config.json'),
        JSON.stringify({ ...JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8')), decide: { proof: 'terminal' } }),
      );
      expect(readAnswer(await at(confirm, [[/Passphrase: /, '\r']]))).toMatchObject({ success: false });
    },
    timeoutMs,
  );
});

test(
  'a setting that was changed by other means does not decide who may accept the change',
  async () => {
    const { at, root, call } = await openProject();
    const setProject = (decide: object): void => {
      const path = join(root, '.cleo', 'config.json');
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), decide }));
    };
    await at(['proof', 'passphrase'], [typeId('passphrase'), ...newPassphrase]);
    await at(['config', 'set', 'decide.proof', 'passphrase'], [typeId('decide.proof')]);
    setProject({ proof: 'terminal' });
    const typeNothing: TerminalAnswer[] = [[/Passphrase: /, '\r']];
    expect(readAnswer(await at(confirm))).toMatchObject({ error: { code: 'E_PROJECT_UNTRUSTED' } });
    for (const words of [
      ['config', 'set', 'decide.proof', 'terminal'],
      ['trust'],
      ['token', 'create', '--name', 'ops', '--scope', 'admin'],
    ])
      expect([words, readAnswer(await at(words, typeNothing))]).toMatchObject([words, { success: false }]);
    // A key of an agent proves nobody, even if its passphrase is known.
    mkdirSync(join(root, '.ssh'), { mode: 0o700 });
    const path = join(root, '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'key secret', '-f', path]);
    setProject({ proof: 'ssh', signers: [`sam@example.com ${readFileSync(`${path}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')}`] });
    expect(readAnswer(await at(['trust'], typeNothing))).toMatchObject({ success: false });
    expect(readAnswer(await at(['trust'], [[/Passphrase: /, 'correct horse\r']]))).toMatchObject({ success: true });
    expect(readAnswer(await at(confirm, [[/passphrase[^:]*: /i, 'key secret\r']]))).toMatchObject({ success: true });
    expect(await call('memory.show', { id: 'D-001' })).toMatchObject({ memory: { proof: { via: 'ssh' } } });
  },
  timeoutMs,
);

describe('ssh', () => {
  function createKey(root: string, passphrase: string): string {
    mkdirSync(join(root, '.ssh'), { mode: 0o700 });
    const path = join(root, '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', path]);
    return readFileSync(`${path}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
  }

  test(
    'a decision is signed with a key, verified later, and a forged one is found',
    async () => {
      const { at, root, setUser, tamper, cli } = await openProject();
      const key = createKey(root, 'key secret');
      const signers = (lines: string[]): void => setUser({ decide: { proof: 'ssh', signers: lines } });
      signers([`sam@example.com ${key}`]);
      const signed = await at(confirm, [[/passphrase[^:]*: /i, 'key secret\r']]);
      expect(readAnswer(signed)).toMatchObject({ memory: { confirmation_state: 'accepted' } });
      const verify = async (): Promise<Json> => (await cli(['proof', 'verify', 'D-001', '--json'])).envelope;
      expect(await verify()).toMatchObject({ proofs: [{ via: 'ssh', state: 'signed', signer: 'sam@example.com' }] });
      expect(readAnswer(await at(['memory', 'show', 'D-001']))).toMatchObject({
        memory: { proof: { via: 'ssh', signer: 'sam@example.com', fingerprint: expect.stringMatching(/^SHA256:/) } },
      });
      signers([`sam@example.com ${key.slice(0, -4)}AAAA`]);
      expect(await verify()).toMatchObject({ proofs: [{ state: 'unlisted' }] });
      signers([`sam@example.com ${key}`]);
      // Without the passphrase of the key there is no signature.
      expect(readAnswer(await at(['memory', 'confirm', 'D-002'], [[/passphrase[^:]*: /i, 'wrong\r']]))).toMatchObject(refused);
      await tamper("update memories set content = 'Tokens are classes' where id = 'D-001'");
      expect(await verify()).toMatchObject({ error: { code: 'E_CHECKSUM_MISMATCH', exitCode: 20 } });
      await tamper("update memories set content = 'Tokens are structs' where id = 'D-001'");
      await tamper("update audit_log set principal = replace(principal, 'subject: D-001', 'subject: D-002') where principal like '%ssh%'");
      expect(await verify()).toMatchObject({ error: { code: 'E_CHECKSUM_MISMATCH', message: expect.stringContaining('D-002') } });
    },
    timeoutMs,
  );

  test(
    'a key that every program can use needs a person at a terminal as well',
    async () => {
      const { at, root, env, setUser } = await openProject();
      setUser({ decide: { proof: 'ssh', signers: [`sam@example.com ${createKey(root, '')}`] } });
      expect(readAnswer(await at(confirm, [], { CLAUDECODE: '1' }))).toMatchObject({
        error: { ...refused.error, message: expect.stringContaining('every program of the user can sign') },
      });
      const piped = await runCleo(['--json', ...confirm], { cwd: root, env });
      expect(JSON.parse(piped.out)).toMatchObject(refused);
      expect(readAnswer(await at(confirm, [typeId('D-001')]))).toMatchObject({ memory: { confirmation_state: 'accepted' } });
    },
    timeoutMs,
  );

  test(
    'a key that is not in decide.signers does not decide',
    async () => {
      const { at, root, setUser } = await openProject();
      createKey(root, '');
      setUser({
        decide: {
          proof: 'ssh',
          signers: ['sam@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP8oqxzdCjPU54teuRSmhnST0en9Hgu+81C4gJul8l5/'],
        },
      });
      expect(readAnswer(await at(confirm))).toMatchObject({
        error: { ...refused.error, message: expect.stringContaining('decide.signers') },
      });
    },
    timeoutMs,
  );
});
