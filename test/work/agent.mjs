// An agent without a model: it reads its prompt, changes files, commits, and calls `cleo`, as the prompt says. What it does is in the
// description of its task: `agent: write src/a.txt`, and one of the modes below for an agent that misbehaves.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const given = process.argv[2] === '--file' ? readFileSync(process.argv[3], 'utf8') : readFileSync(0, 'utf8');
const [, act, task] = /^# (Do|Judge|Continue) (T\d+)/m.exec(given) ?? [];
const agent = process.env.CLEO_AGENT_ID;

const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const say = (text) => process.stdout.write(`${text}\n`);
const finish = (status) =>
  say(
    `Implementation ${status}. See MANIFEST.jsonl for ${status === 'complete' ? 'summary' : status === 'partial' ? 'details' : 'blocker details'}.`,
  );

function cleo(...words) {
  const { status, stdout } = spawnSync('cleo', [...words, '--json'], { encoding: 'utf8' });
  if (process.env.AGENT_LOG) appendFileSync(process.env.AGENT_LOG, `${agent} ${words.join(' ')} ${status}\n`);
  return { status, answer: stdout.startsWith('{') ? JSON.parse(stdout) : {} };
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function commit(message) {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', message);
}

const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const { description = '', acceptance = [] } = cleo('show', task).answer.task ?? {};
const steps = [...description.matchAll(/agent: (\S+) ?(.*)/g)].map(([, name, rest]) => ({ name, rest: rest.trim() }));
const modes = new Map(steps.map(({ name, rest }) => [name, rest]));

if (act === 'Judge') judge();
else work();

function judge() {
  // The second verdict is always good, so that a rejected task can be finished.
  const isBad = modes.has('reject') && !existsSync('fixed.txt');
  if (modes.has('no-verdict')) return say('I do not know.');
  cleo('validator', 'pull', task);
  cleo('validator', ...(isBad ? ['reject', task, '--reason', 'Criterion 1: fixed.txt is missing'] : ['attest', task]));
  say(isBad ? 'Rejected.' : 'Attested.');
}

function work() {
  // A worktree that is made anew has another file there.
  const { ino, mtimeMs } = statSync('.git', { throwIfNoEntry: false }) ?? {};
  if (process.env.AGENT_LOG) appendFileSync(`${process.env.AGENT_LOG}.worktrees`, `${task} ${act} ${ino}-${mtimeMs}\n`);
  say(`working on ${task} as ${agent}`);
  cleo('start', task);
  if (act === 'Continue' && (modes.has('learn') || modes.has('learn-late'))) {
    write('fixed.txt', 'fixed\n');
    commit(`${task}: fix`);
    return complete();
  }
  if (modes.has('lie')) return finish('complete');
  if (modes.has('lie-complete')) {
    cleo('complete', task);
    return finish('complete');
  }
  if (modes.has('release')) {
    cleo('stop', task);
    say('released');
    wait(Number(modes.get('release')));
    return finish('complete');
  }
  if (modes.has('block')) return finish('blocked');
  if (modes.has('child')) {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    child.unref();
    write('child.pid', String(child.pid));
  }
  if (modes.has('hang')) {
    say('hanging');
    return setInterval(() => {}, 1000);
  }
  if (modes.has('sleep')) wait(Number(modes.get('sleep')));
  if (modes.has('until')) while (!existsSync(join(process.env.CLEO_ROOT, modes.get('until')))) wait(50);
  if (modes.has('crash')) process.kill(process.pid, 'SIGKILL');
  if (modes.has('flood'))
    for (let i = 0; i < 3000; i += 1) process.stdout.write(`${'x'.repeat(1023)}\n`.repeat(Number(modes.get('flood'))));
  if (modes.has('secret')) say(`the key is ${process.env.AGENT_API_KEY}`);
  if (modes.has('outside')) writeFileSync(join(process.env.CLEO_ROOT, modes.get('outside')), 'written outside\n');
  for (const { name, rest } of steps) {
    const [path = '', ...words] = rest.split(' ');
    if (name === 'write') write(path, `${words.join(' ') || task}\n`);
    if (name === 'append') appendFileSync(path, `${task}\n`);
    if ((name === 'need' && !existsSync(path)) || (name === 'absent' && existsSync(path))) {
      say(`${path} ${name === 'need' ? 'is missing' : 'exists'}`);
      return finish('blocked');
    }
  }
  // One line a second.
  for (let left = Number(modes.get('chatter') ?? 0); left > 0; left -= 1) {
    say(`${left} s left`);
    wait(1000);
  }
  if (modes.has('no-commit')) return finish('complete');
  commit(`${task}: work`);
  if (modes.has('learn')) return finish('partial');
  if (modes.has('nest')) say(`nested: ${cleo('work', '--dry-run').status}`);
  complete();
}

function complete() {
  const needs = (gate) => acceptance.some((each) => each.gate === gate);
  if (needs('implemented') || needs('testsPassed') || needs('qaPassed'))
    cleo('verify', task, '--gate', 'implemented', '--evidence', 'commit:HEAD');
  if (needs('testsPassed') || needs('qaPassed')) cleo('verify', task, '--gate', 'testsPassed', '--evidence', 'tool:test');
  if (needs('qaPassed')) return finish('partial');
  if (!modes.has('leave-open')) cleo('complete', task);
  finish('complete');
}
