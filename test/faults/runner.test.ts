import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listLiving } from '../../src/platform/runner/process-group.ts';
import { parseTrace } from '../../src/runs/rules/trace.ts';
import type { Json } from '../app.ts';
import { computeTrustDigest } from '../trust.ts';
import { createNobodyOptions, createSmallDisk } from './disks.ts';
import { type CleoOptions, createFaultFolder, createFaultProject, type EndedProcess, type FaultProject, pickSize } from './processes.ts';

function writeSkill({ root }: FaultProject, name: string, script: string): void {
  mkdirSync(join(root, 'skills', name), { recursive: true });
  writeFileSync(join(root, 'skills', name, 'run.sh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'skills', name, 'run.sh'), 0o755);
}

const writeConstruct = ({ root }: FaultProject, text: string): void =>
  writeFileSync(join(root, 'construct.yaml'), `apiVersion: loa/v1\nkind: Construct\nmetadata: {name: demo, version: 1.0.0}\n${text}`);

/** Creates a project whose programs are trusted as they are when a command starts. The digest works without writing, also on a full disk. */
async function createTrustedProject(folder?: string): Promise<FaultProject> {
  const project = await createFaultProject(folder);
  // The first call loads modules, and the tests measure how long a run takes.
  await computeTrustDigest(project.root);
  const run: FaultProject['run'] = async (args, options = {}) =>
    project.run(args, { ...options, env: { CLEO_TRUST: await computeTrustDigest(project.root), ...options.env } });
  return {
    ...project,
    run,
    async runOk(args, options) {
      const ended = await run(args, options);
      if (ended.exitCode !== 0) throw new Error(`cleo ${args.join(' ')} ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`);
      return ended.answer;
    },
  };
}

const listRuns = ({ root }: FaultProject): string[] =>
  existsSync(join(root, '.cleo/runs'))
    ? readdirSync(join(root, '.cleo/runs'))
        .filter((name) => name.startsWith('run-') && existsSync(join(root, '.cleo/runs', name, 'run.json')))
        .sort()
    : [];
const readRecord = ({ root }: FaultProject, id: string): Json => JSON.parse(readFileSync(join(root, '.cleo/runs', id, 'run.json'), 'utf8'));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
function readTrace({ root }: FaultProject, { trace }: Json): ReturnType<typeof parseTrace> {
  const path = join(root, '.cleo/traces', trace);
  return parseTrace(existsSync(path) ? readFileSync(path, 'utf8') : '', sha256);
}

/** Checks that the trace of an ended run is complete and its chain valid. */
function expectSound(project: FaultProject, id: string): void {
  const record = readRecord(project, id);
  const { firstInvalid, problems, head, lines } = readTrace(project, record);
  expect({ firstBad: firstInvalid, problems, head, lines: lines.length }).toEqual({
    firstBad: undefined,
    problems: [],
    head: record.head,
    lines: record.lines,
  });
}

const listLeftover = (id: string): number[] => listLiving({ environmentMark: `CLEO_RUN_ID=${id}` });
const listLeftoverFiles = (id: string): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(`cleo-skill-${id}`));

const phases = ['plan', 'build', 'check'];

/** Creates three phases with handoffs. A file outside the project counts how often each skill started. */
async function createPipeline(): Promise<FaultProject & { counts(): number[] }> {
  const project = await createTrustedProject();
  const counts = createFaultFolder();
  const count = (name: string): string => `echo x >> ${counts}/${name}`;
  writeConstruct(
    project,
    `execution: {phases: [${phases.join(', ')}]}
skills: [{name: plan, phase: plan}, {name: build, phase: build}, {name: check, phase: check}]
phases: {plan: {produces: [plan.md]}, build: {produces: [out/a.txt, out/b.txt]}, check: {produces: [report.md]}}
assessment: {handoffs: {plan_to_build: {required_artifacts: [plan.md]}, build_to_check: {required_artifacts: ["out/*"]}}}`,
  );
  writeSkill(project, 'plan', `${count('plan')}; echo "{\\"step\\": 1}"; echo planned > plan.md`);
  // A skill that survives the killed runner would write into the resumed run.
  writeSkill(
    project,
    'build',
    `${count('build')}; mkdir -p out; cp plan.md out/a.txt; (sleep 20; echo late >> out/b.txt) & p=$!; sleep 0.1; kill $p; cat > out/b.txt.in; grep -o '"inputs":{[^}]*}}' out/b.txt.in > out/b.txt; rm out/b.txt.in`,
  );
  writeSkill(project, 'check', `${count('check')}; cat out/a.txt out/b.txt > report.md`);
  return {
    ...project,
    counts: () =>
      phases.map((name) => (existsSync(join(counts, name)) ? readFileSync(join(counts, name), 'utf8').split('\n').length - 1 : 0)),
  };
}

/** Returns the outcome of a run without values that differ between runs. */
function readOutcome(project: FaultProject, id: string): Json {
  const { status, exit_code, executions, project: name } = readRecord(project, id);
  const handoffs = readdirSync(join(project.root, '.cleo/runs', id, 'handoffs')).map((file) => {
    const {
      handoff_at: _,
      run_id: __,
      ...handoff
    } = JSON.parse(readFileSync(join(project.root, '.cleo/runs', id, 'handoffs', file), 'utf8'));
    return handoff;
  });
  return {
    ...{ status, exit_code, name, handoffs },
    executions: executions.map(({ duration_ms: _, execution_id: __, inputs_sha256: ___, ...rest }: Json) => rest),
    files: ['plan.md', 'out/a.txt', 'out/b.txt', 'report.md'].map((path) => readFileSync(join(project.root, path), 'utf8')),
  };
}

test('a killed run resumes without repeating finished phases, to the same result', async () => {
  const kills = pickSize(8, 100);
  const project = await createPipeline();
  const began = performance.now();
  const { run } = await project.runOk(['construct', 'run']);
  const lifeMs = performance.now() - began;
  const expected = readOutcome(project, run.id);
  expect(expected).toMatchObject({ status: 'success', executions: [{}, {}, {}] });
  let struck = 0;
  let resumed = 0;
  for (let i = 0; i < kills; i += 1) {
    const known = listRuns(project);
    const killed = await runAndKill(project, ['construct', 'run'], lifeMs * (0.15 + 0.9 * Math.random()));
    if (killed.signal === 'SIGKILL') struck += 1;
    const [id] = listRuns(project).filter((one) => !known.includes(one));
    // Killed before the run was recorded: the next call starts a new run.
    if (id === undefined) {
      await project.runOk(['construct', 'run']);
      continue;
    }
    // The resuming process may be killed as well.
    if (i % 2 === 1) await runAndKill(project, ['construct', 'run', '--resume', id], lifeMs * Math.random());
    const done = listFinished(project, id);
    // A skill that survived the killed runner may count its start only now; the resumed run kills it.
    const hasSurvivor = listLeftover(id).length > 0;
    const before = project.counts();
    const ended = await project.run(['construct', 'run', '--resume', id]);
    expect([ended.exitCode, ended.answer.run?.status, ended.stderr]).toEqual([0, 'success', '']);
    resumed += 1;
    const again = project.counts().map((count, place) => count - before[place]!);
    const next = phases.findIndex((name) => !done.includes(name));
    if (hasSurvivor && again[next] === 2) again[next] = 1;
    expect(again).toEqual(phases.map((name) => (done.includes(name) ? 0 : 1)));
    expect(readOutcome(project, id)).toEqual(expected);
    expectSound(project, id);
    expect([listLeftover(id), listLeftoverFiles(id)]).toEqual([[], []]);
  }
  expect(struck).toBeGreaterThan(kills / 3);
  expect(resumed).toBeGreaterThan(kills / 3);
  // Neither locks nor temporary files are left.
  expect(readdirSync(join(project.root, '.cleo'), { recursive: true }).filter((name) => /\.lock|\.tmp-/.test(String(name)))).toEqual([]);
});

/** Lists the phases that the trace reports as finished. */
const listFinished = (project: FaultProject, id: string): string[] => [
  ...new Set(
    readTrace(project, readRecord(project, id)).lines.flatMap(({ line }) =>
      line.event === 'execution_complete' && line.data.status === 'success' ? [line.phase!] : [],
    ),
  ),
];

const runAndKill = ({ run }: FaultProject, args: string[], afterMs: number): Promise<EndedProcess> =>
  run(args, {
    onStart: (child) => {
      void sleep(afterMs).then(() => child.kill('SIGKILL'));
    },
  });

/** Runs until a file exists and then interrupts the runner `times` times. */
async function runAndInterrupt(
  { run, root }: FaultProject,
  args: string[],
  file: string,
  options: CleoOptions = {},
  times = 1,
): Promise<EndedProcess> {
  return run(args, {
    ...options,
    onStart: (child) => {
      void (async () => {
        while (!existsSync(join(root, file)) && child.exitCode === null) await sleep(20);
        for (let i = 0; i < times; i += 1) {
          child.kill('SIGINT');
          await sleep(300);
        }
      })();
    },
  });
}

test.each<[where: string, script: string, more: string]>([
  ['a skill', 'touch begun; trap "" TERM; setsid sleep 58 & sleep 58', ''],
  [
    'the pause before another attempt',
    '[ -f begun ] && exit 0; (sleep 0.3; touch begun) & echo \'{"retry_after_ms": 60000}\' > "$CLEO_RESULT"; wait; exit 75',
    'gates: {only: {execution: {max_retries: 3}}}',
  ],
  ['a judge', 'true', 'goal: {mode: judge}, judge: {command: [sh, -c, "touch begun; sleep 58"]}'],
  ['a precondition', 'true', 'gates: {only: {precondition: {checks: [{command: [sh, -c, "touch begun; sleep 29"]}]}}}'],
])('an interrupt during %s ends it and all its processes', async (_, script, more) => {
  const project = await createTrustedProject();
  writeConstruct(
    project,
    `execution: {phases: [only, next]}\nskills: [{name: it, phase: only}, {name: other, phase: next}]\nassessment: {${more}}`,
  );
  writeSkill(project, 'it', script);
  writeSkill(project, 'other', 'touch never');
  const before = Date.now();
  const { exitCode, answer } = await runAndInterrupt(project, ['construct', 'run', '--intent', 'go'], 'begun');
  expect(Date.now() - before).toBeLessThan(15_000);
  expect([exitCode, answer.error?.code, answer.error?.details.run.status]).toEqual([130, 'E_SKILL_SIGNAL', 'cancelled']);
  const [id] = listRuns(project);
  expect(readRecord(project, id!)).toMatchObject({ status: 'cancelled', exit_code: 130 });
  expectSound(project, id!);
  expect([listLeftover(id!), listLeftoverFiles(id!), existsSync(join(project.root, 'never'))]).toEqual([[], [], false]);
  expect(existsSync(join(project.root, '.cleo/reviews.jsonl'))).toBe(false);
});

test('a second interrupt kills at once, and the run still records its end', async () => {
  const project = await createTrustedProject();
  writeConstruct(
    project,
    'execution: {phases: [only]}\nskills: [{name: it, phase: only}]\nassessment: {gates: {only: {execution: {kill_grace_ms: 60000}}}}\n',
  );
  writeSkill(project, 'it', 'trap "" TERM; touch begun; while :; do sleep 0.1; done');
  const before = Date.now();
  const { exitCode, answer } = await runAndInterrupt(project, ['construct', 'run'], 'begun', {}, 2);
  expect(Date.now() - before).toBeLessThan(15_000);
  expect([exitCode, answer.error?.details.run.status]).toEqual([130, 'cancelled']);
  const [id] = listRuns(project);
  expectSound(project, id!);
  expect(listLeftover(id!)).toEqual([]);
});

test('an interrupt ends the wait for another run', async () => {
  const project = await createTrustedProject();
  writeConstruct(project, 'execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n');
  writeSkill(project, 'it', 'touch begun; until [ -f go ]; do sleep 0.05; done');
  const began = performance.now();
  const first = project.run(['construct', 'run']);
  while (!existsSync(join(project.root, 'begun'))) await sleep(20);
  // The second process begins to wait in less time than the first one needed to start its skill; an earlier interrupt would just end it.
  const startMs = performance.now() - began;
  const second = await project.run(['construct', 'run', '--wait', '60000'], {
    onStart: (child) => {
      void sleep(Math.max(1000, 3 * startMs)).then(() => child.kill('SIGINT'));
    },
  });
  expect([second.exitCode, second.answer.error?.code]).toEqual([130, 'E_SKILL_SIGNAL']);
  writeFileSync(join(project.root, 'go'), '');
  expect((await first).exitCode).toBe(0);
});

test('a full disk ends the run with exit code 74, and no skill runs unrecorded', async () => {
  const disk = createSmallDisk();
  const project = await createTrustedProject(disk.folder);
  writeConstruct(project, 'execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n');
  writeSkill(project, 'it', 'yes "a line of a log that is as long as a line of a log can be" | head -c 3000000; sleep 60');
  const codes: (number | null)[] = [];
  for (let kilobytes = 40; kilobytes <= 160; kilobytes += pickSize(40, 10)) {
    const before = Date.now();
    const { exitCode, answer, stderr } = await project.run(['construct', 'run'], disk.leave(kilobytes));
    codes.push(exitCode);
    expect([73, 74]).toContain(exitCode);
    expect([answer.error?.fix, stderr]).toEqual(['cleo doctor', '']);
    expect(Date.now() - before).toBeLessThan(20_000);
    for (const id of listRuns(project)) expect(listLeftover(id)).toEqual([]);
    for (const name of ['runs', 'traces']) rmSync(join(project.root, '.cleo', name), { recursive: true, force: true });
  }
  expect(codes).toContain(74);
  disk.free();
  writeSkill(project, 'it', 'true');
  const { run } = await project.runOk(['construct', 'run']);
  expectSound(project, run.id);
});

test('a run fails with exit code 73 before it starts if nothing can be written', async () => {
  const nobody = createNobodyOptions();
  const project = await createTrustedProject();
  writeConstruct(project, 'execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n');
  writeSkill(project, 'it', 'echo ran');
  chmodSync(project.root, 0o755);
  chmodSync(join(project.root, '.cleo'), 0o555);
  for (const words of [
    ['construct', 'run'],
    ['skill', 'run', 'it'],
  ]) {
    const { exitCode, answer, stderr } = await project.run(words, nobody);
    expect([exitCode, answer.error?.code, stderr]).toEqual([73, 'E_SKILL_PRECONDITION', '']);
  }
  // Queries still work.
  expect((await project.run(['construct', 'validate'], nobody)).exitCode).toBe(0);
  expect(existsSync(join(project.root, '.cleo/runs'))).toBe(false);
  chmodSync(join(project.root, '.cleo'), 0o755);
  await project.runOk(['construct', 'run']);
});

const createAliasBomb = (): string =>
  [...'bcdefghijklm'].map((c, i) => `${c}: &${c} [${`*${'abcdefghijklm'[i]}, `.repeat(9)}x]`).join('\n');

test('rejects invalid manifests with the line, and accepts unusual ones', async () => {
  const project = await createTrustedProject();
  writeSkill(project, 'it', 'true');
  const head = 'apiVersion: loa/v1\nkind: Construct\n';
  for (const [text, exitCode, problem] of [
    ['', 78, /1:1: is empty/],
    ['- a\n', 78, /1:1: is not a construct/],
    [`${head}# ${'x'.repeat(2 ** 20)}\n`, 78, /is larger than 1 MiB/],
    [`${head}a: &a [x, x]\n${createAliasBomb()}\n`, 78, /[Ee]xcessive alias/],
    [`${head}metadata:\n\tname: x\n`, 78, /4:1: Tabs are not allowed/],
    [
      `${head}phases: {a: {}, b: {}}\nassessment: {handoffs: {a_to_b: {}, again: {from: a, to: b}}}\n`,
      78,
      /4:44: .*a to b is declared twice/,
    ],
    [`${head}phases: {a: {receives: [y], produces: [x]}, b: {receives: [x], produces: [y]}}\n`, 78, /3:9: phases a needs y.*waits for a/],
    [`${head}phases: {a: {produces: [{path: x, min_completeness: 80}]}}\n`, 78, /3:53: .*must be a number from 0 to 1/],
    [`${head}assessment: {gates: {a: {execution: {max_retries: -1}}}}\n`, 78, /3:51: .*whole number from 0 to 10/],
    [`${head}assessment: {gates: {a: {execution: {max_retries: 1.5}}}}\n`, 78, /3:51: .*whole number from 0 to 10/],
    [`${head}assessment: {capture: {retention_days: "30"}}\n`, 78, /3:40: .*must be a whole number/],
    [`${head}metadata: {name: ../x}\nskills: [{name: it, phase: a}]\n`, 78, /\{project\} cannot be "..\/x"/],
    [`\ufeff${head}phases: [a_to_b]\nskills: [{name: it, phase: a_to_b}]\n`, 0, undefined],
  ] as const) {
    writeFileSync(join(project.root, 'construct.yaml'), text);
    const ended = await project.run(['construct', 'run']);
    expect([ended.exitCode, ended.stderr]).toEqual([exitCode, '']);
    if (problem) expect(ended.answer.error.message).toMatch(problem);
  }
  expect(listRuns(project)).toHaveLength(1);
});

test('exits with the code of the deciding skill', async () => {
  const project = await createTrustedProject();
  writeConstruct(project, 'execution: {phases: [a, b]}\nskills: [{name: first, phase: a}, {name: second, phase: b}]\n');
  for (const [one, other, expected] of [
    [0, 0, 0],
    [0, 3, 3],
    [70, 0, 70],
    [101, 0, 101],
    [256, 0, 0],
  ]) {
    writeSkill(project, 'first', `exit ${one}`);
    writeSkill(project, 'second', `exit ${other}`);
    expect((await project.run(['construct', 'run'])).exitCode).toBe(expected);
  }
  cpSync(join(project.root, 'skills/first'), join(project.root, 'skills/own'), { recursive: true });
  writeSkill(project, 'own', 'kill -SEGV $$');
  expect((await project.run(['skill', 'run', 'own'])).exitCode).toBe(139);
  // The printed path works from every folder of the project.
  const { answer } = await project.run(['construct', 'run', '../construct.yaml', '--phase', 'nowhere'], {
    cwd: join(project.root, 'skills'),
  });
  expect([answer.error.exitCode, answer.error.fix]).toEqual([64, 'cleo construct show construct.yaml']);
  expect((await project.run(['construct', 'show', 'construct.yaml'], { cwd: join(project.root, 'skills') })).exitCode).toBe(0);
  const piped = await project.run(['skill', 'run', 'gone', '--raw']);
  expect([piped.exitCode, piped.stdout, JSON.parse(piped.stderr).error.code]).toEqual([127, '', 'E_SKILL_CONFIG']);
});
