import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../src/platform/lock-file.ts';
import { listLiving } from '../src/platform/runner/process-group.ts';
import { parseTrace } from '../src/runs/rules/trace.ts';
import type { Json } from './app.ts';
import { asPerson } from './app.ts';
import { formatTwoSkills, getGate, listRunFolders, openOneSkillProject, readRunRecord } from './runner-results.ts';
import { openSkillProject, type SkillProject } from './skill-project.ts';

describe('the run lock', () => {
  const lockOf = (shop: SkillProject): string =>
    join(shop.root, '.cleo/runs', readdirSync(join(shop.root, '.cleo/runs')).find((name) => name.endsWith('.lock'))!);

  test('a second process fails or waits', async () => {
    const shop = await openOneSkillProject('until [ -f go ]; do sleep 0.05; done');
    const first = shop.runConstruct();
    while (!existsSync(join(shop.root, '.cleo/runs')) || listRunFolders(shop).length === 0) await sleep(20);
    expect((await shop.runConstruct()).error).toMatchObject({
      exitCode: 75,
      code: 'E_SKILL_TEMPORARY',
      fix: 'cleo construct run --wait 600000',
      details: { pid: process.pid, run: listRunFolders(shop)[0] },
    });
    expect((await shop.runConstruct({ wait: 100 })).error).toMatchObject({ exitCode: 75 });
    const second = shop.runConstruct({ wait: 20_000 });
    const other = await shop.runConstruct({ project: 'another', dryRun: true });
    shop.writeFile('go', '');
    expect([(await first).success, (await second).success, other.success]).toEqual([true, true, true]);
    expect(readdirSync(join(shop.root, '.cleo/runs')).filter((name) => name.includes('lock'))).toEqual([]);
  });

  test('one process takes over the lock of a dead one', async () => {
    const shop = await openOneSkillProject('echo x >> ran; sleep 0.3');
    const held = shop.runConstruct();
    while (!existsSync(join(shop.root, '.cleo/runs')) || listRunFolders(shop).length === 0) await sleep(20);
    const path = lockOf(shop);
    const alive = JSON.parse(readFileSync(path, 'utf8'));
    await held;
    writeFileSync(path, JSON.stringify({ ...alive, pid: 2 ** 22 - 3, nonce: 'gone', run: 'run-gone' }));
    execFileSync('sh', ['-c', 'CLEO_RUN_ID=run-gone setsid sleep 46 >/dev/null 2>&1 &']);
    const all = await Promise.all(Array.from({ length: 4 }, () => shop.runConstruct()));
    expect(listLiving({ environmentMark: 'CLEO_RUN_ID=run-gone' })).toEqual([]);
    expect(all.map(({ error }) => error?.exitCode ?? 0).sort()).toEqual([0, 75, 75, 75]);
    expect(all.find(({ success }) => success)!._meta.warnings).toEqual([
      expect.stringMatching(/took over the lock of process \d+, which is gone/),
      'run-gone: killed 1 subprocess that was still running',
    ]);
    for (const stale of [
      { ...alive, boot: 'another', nonce: 'x' },
      { ...alive, began: '1', nonce: 'y' },
    ]) {
      writeFileSync(path, JSON.stringify(stale));
      expect((await shop.runConstruct()).success).toBe(true);
    }
    writeFileSync(path, '{"pid":');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 75 });
    utimesSync(path, new Date(0), new Date(0));
    expect((await shop.runConstruct()).success).toBe(true);
  });
});

describe('a resumed run', () => {
  const broken = async (): Promise<{ shop: SkillProject; id: string }> => {
    const shop = await openSkillProject();
    shop.writeConstruct(formatTwoSkills('contracts: {first: {outputs: [a.txt]}, second: {outputs: [b.txt]}}'));
    shop.writeSkill('a', 'echo a >> a.log; echo made > a.txt; echo "{\\"n\\":1}"');
    shop.writeSkill('b', 'echo b >> b.log; cat > b.txt; [ -f ready ]');
    const { error } = await shop.runConstruct({ input: { word: 'w' } });
    expect(error).toMatchObject({ exitCode: 1 });
    shop.writeFile('ready', '');
    return { shop, id: error.details.run.id };
  };
  const times = (shop: SkillProject, name: string): number =>
    readFileSync(join(shop.root, `${name}.log`), 'utf8')
      .trim()
      .split('\n').length;

  test('repeats nothing that is done and continues its trace', async () => {
    const { shop, id } = await broken();
    const answer = await shop.runConstruct({ resume: id, input: { word: 'w' } });
    expect(answer).toMatchObject({ success: true, run: { id, executions: [{ skipped: true }, { status: 'success', attempts: 1 }] } });
    expect([times(shop, 'a'), times(shop, 'b')]).toEqual([1, 2]);
    expect(JSON.parse(readFileSync(join(shop.root, 'b.txt'), 'utf8')).inputs).toEqual({ a: { n: 1 }, word: 'w' });
    const record = readRunRecord(shop);
    const text = readFileSync(join(shop.root, '.cleo/traces', record.trace), 'utf8');
    const { createHash } = await import('node:crypto');
    const reading = parseTrace(text, (line) => createHash('sha256').update(line).digest('hex'));
    expect(reading).toMatchObject({ problems: [], head: record.head });
    expect([reading.firstInvalid, reading.lines.length]).toEqual([undefined, record.lines]);
    expect(record.executions.map(({ skill, status }: Json) => [skill, status])).toEqual([
      ['a', 'success'],
      ['b', 'success'],
    ]);
    // A second resume has nothing to do.
    expect((await shop.runConstruct({ resume: id, input: { word: 'w' } })).run.executions).toMatchObject([
      { skipped: true },
      { skipped: true },
    ]);
  });

  test.each<[string, (shop: SkillProject) => void, word?: string]>([
    ['its inputs', () => {}, 'another'],
    ['its skill', (shop) => shop.writeSkill('a', 'echo a >> a.log; echo made > a.txt; echo "{\\"n\\":1}" # changed')],
    ['its output', (shop) => shop.writeFile('a.txt', 'changed')],
    ['its stored output', (shop) => rmSync(join(shop.root, '.cleo/runs', listRunFolders(shop)[0]!, 'first/a/1/stdout.log'))],
  ])('repeats everything from where %s changed', async (_, change, word = 'w') => {
    const { shop, id } = await broken();
    await shop.runConstruct({ resume: id, input: { word: 'w' } });
    change(shop);
    expect((await shop.runConstruct({ resume: id, input: { word } })).run.executions.map(({ skipped }: Json) => skipped ?? false)).toEqual([
      false,
      false,
    ]);
    expect([times(shop, 'a'), times(shop, 'b')]).toEqual([2, 3]);
  });

  test('uses the options of the original run', async () => {
    const shop = await openSkillProject({ tasks: ['T001'] });
    shop.writeFile(
      'other.yaml',
      'apiVersion: loa/v1\nkind: Construct\nexecution: {phases: [first, second, third]}\nskills: [{name: a, phase: first}, {name: b, phase: second}, {name: c, phase: third}]\ncontracts: {second: {outputs: ["{project}/{where}.txt"]}}',
    );
    shop.writeSkill('a', 'touch a.log');
    shop.writeSkill('b', 'cat > b.json; [ -f ready ] && mkdir -p its && echo x > its/place.txt');
    shop.writeSkill('c', 'touch c.log');
    const { error } = await shop.runConstruct({
      ...{ file: 'other.yaml', phase: 'second', project: 'its', var: ['where=place'], intent: 'a goal of its own', task: 'T001' },
      ...{ input: { word: 'w' }, capture: 'full' },
    });
    const { id } = error.details.run;
    expect([error.fix, error.details.then]).toEqual([`cleo trace show ${id}`, `cleo construct run --resume ${id}`]);
    shop.writeFile('ready', '');
    const { out, exitCode } = await shop.cli(error.details.then);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).run).toMatchObject({
      id,
      executions: [{ phase: 'second', artifacts: ['its/place.txt'] }],
      task: { id: 'T001' },
    });
    const given = JSON.parse(readFileSync(join(shop.root, 'b.json'), 'utf8'));
    expect(given).toMatchObject({ intent: 'a goal of its own', inputs: { word: 'w' } });
    expect([existsSync(join(shop.root, 'a.log')), existsSync(join(shop.root, 'c.log'))]).toEqual([false, false]);
    expect(readRunRecord(shop).asked).toMatchObject({ phases: ['second'], capture: 'full' });
  });

  test.each<[string, Json, Json]>([
    ['of which only hashes are stored', {}, { word: 'plain' }],
    ['of which nothing is stored', { capture: 'none' }, { word: 'plain' }],
    ['that contain a secret', { capture: 'full' }, { word: 'plain', password: 'correct-horse' }],
  ])('needs the inputs again %s', async (_, how, input) => {
    const shop = await openOneSkillProject('cat > got.json; [ -f ready ]');
    const { error } = await shop.runConstruct({ input, ...how });
    const { id } = error.details.run;
    // The fix cannot contain inputs that are not known.
    expect(error.fix).toBe(`cleo trace show ${id}`);
    shop.writeFile('ready', '');
    const refused = (await shop.runConstruct({ resume: id })).error;
    expect(refused).toMatchObject({ exitCode: 66, message: expect.stringContaining('pass them again as `input`') });
    expect((await shop.cli(refused.fix)).exitCode).toBe(0);
    expect((await shop.runConstruct({ resume: id, input })).success).toBe(true);
    expect(JSON.parse(readFileSync(join(shop.root, 'got.json'), 'utf8')).inputs).toEqual(input);
    expect(shop.readStoredText()).not.toContain('correct-horse');
  });

  test('needs the intent again if it was not stored', async () => {
    const shop = await openOneSkillProject('[ -f ready ]', 'assessment: {capture: {enabled: false}}');
    const { error } = await shop.runConstruct({ intent: 'a goal of its own' });
    shop.writeFile('ready', '');
    const refused = (await shop.runConstruct({ resume: error.details.run.id })).error;
    expect(refused).toMatchObject({ exitCode: 66, message: expect.stringContaining('`intent`') });
    expect((await shop.cli(refused.fix)).exitCode).toBe(0);
    expect(shop.readStoredText()).not.toContain('of its own');
  });

  test('fails if the manifest changed, unless that is allowed', async () => {
    const { shop, id } = await broken();
    shop.writeFile('construct.yaml', `${readFileSync(join(shop.root, 'construct.yaml'), 'utf8')}\n# changed\n`);
    const { error } = await shop.runConstruct({ resume: id, input: { word: 'w' } });
    expect(error).toMatchObject({ exitCode: 78, fix: expect.stringContaining('--force manifest') });
    expect((await shop.runConstruct({ resume: id, input: { word: 'w' }, force: 'manifest', reason: 'a remark' })).success).toBe(true);
    expect(shop.readEvents().find(({ event }) => event === 'run_resumed')!.data).toMatchObject({ overridden: true, reason: 'a remark' });
  });

  test('must be of the same kind', async () => {
    const { shop, id } = await broken();
    const { error } = await shop.call('skills.run', { name: 'a', resume: id });
    expect(error).toMatchObject({ exitCode: 64, fix: `cleo construct run --resume ${id}` });
    const other = (await shop.call('skills.run', { name: 'b' })).run.id;
    expect((await shop.runConstruct({ resume: other })).error).toMatchObject({ exitCode: 64, fix: `cleo skill run b --resume ${other}` });
    expect((await shop.call('skills.run', { name: 'a', resume: other })).error).toMatchObject({ exitCode: 64 });
    for (const nobody of ['run-nobody', '', 'run-'])
      expect((await shop.runConstruct({ resume: nobody })).error).toMatchObject({ exitCode: 64 });
    shop.writeFile('.cleo/runs/run-unborn/run.json.tmp-12-abc', '{');
    expect((await shop.runConstruct({ resume: 'run-unborn' })).error).toMatchObject({ exitCode: 66, fix: 'cleo construct run' });
    expect((await shop.runConstruct({ resume: '../x' })).error).toMatchObject({ exitCode: 64 });
  });

  test('reads the trace if the run was killed before its record was written', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/runs', id, 'run.json');
    const record = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, status: 'running', pid: 2 ** 22 - 3, executions: [] }));
    expect((await shop.runConstruct({ resume: id, input: { word: 'w' } })).run.executions).toMatchObject([{ skipped: true }, {}]);
    expect(times(shop, 'a')).toBe(1);
  });

  test('fails if the trace was changed, until it is repaired', async () => {
    const shop = await openOneSkillProject('[ -f go ] || exit 1');
    await shop.runConstruct();
    const [id] = listRunFolders(shop) as [string];
    const path = join(shop.root, '.cleo/traces', readRunRecord(shop).trace);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"event":"run_completed","data":\{"status":"failure"/, (all) => all.replace('failure', 'success')),
    );
    shop.writeFile('go', '');
    const { error } = await shop.runConstruct({ resume: id });
    expect(error).toMatchObject({
      exitCode: 65,
      fix: `cleo trace repair ${id}`,
      message: expect.stringContaining('is not the last line that the run recorded'),
    });
    expect(await shop.call('trace.verify', { run: id })).toMatchObject({ error: { exitCode: 65 } });
    expect(await shop.call('trace.repair', { run: id })).toMatchObject({ success: true });
    expect(await shop.runConstruct({ resume: id })).toMatchObject({ success: true });
    expect(await shop.call('trace.verify', { run: id })).toMatchObject({ success: true });
  });

  test('continues the trace after the last complete line and stores an incomplete one next to it', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/traces', readRunRecord(shop).trace);
    writeFileSync(path, '{"ts":"2026', { flag: 'a' });
    const answer = await shop.runConstruct({ resume: id, input: { word: 'w' } });
    expect(answer._meta.warnings).toEqual([expect.stringMatching(/incomplete; it was moved to \S+\.corrupt$/)]);
    expect([readFileSync(`${path}.corrupt`, 'utf8'), statSync(`${path}.corrupt`).mode & 0o777]).toEqual(['{"ts":"2026', 0o600]);
    expect(await shop.call('trace.verify', { run: id })).toMatchObject({ success: true });
  });

  test('continues from the current state if another process has advanced it', async () => {
    const { shop, id } = await broken();
    shop.writeSkill('b', 'echo b >> b.log; sleep 0.3');
    const [first, second] = await Promise.all([
      shop.runConstruct({ resume: id, input: { word: 'w' } }),
      shop.runConstruct({ resume: id, input: { word: 'w' }, wait: 20_000 }),
    ]);
    expect([first.run.executions, second.run.executions]).toMatchObject([
      [{ skipped: true }, { attempts: 1 }],
      [{ skipped: true }, { skipped: true }],
    ]);
    expect(times(shop, 'b')).toBe(2);
  });

  test('has one writer: resume waits for a review that is being appended', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/traces', readRunRecord(shop).trace);
    const { size } = statSync(path);
    const lock = await acquireLock(join(shop.root, '.cleo/runs'), `trace-${id}`, 0);
    const going = shop.runConstruct({ resume: id, input: { word: 'w' } });
    await sleep(300);
    expect(statSync(path).size).toBe(size);
    lock.release();
    expect((await going).success).toBe(true);
  });

  test('fails while the run is running', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/runs', id, 'run.json');
    const parent = { pid: process.ppid, began: readFileSync(`/proc/${process.ppid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19] };
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), status: 'running', ...parent }));
    expect((await shop.runConstruct({ resume: id, project: 'another', input: { word: 'w' } })).error).toMatchObject({ exitCode: 75 });
  });

  test('kills leftover processes and removes temporary files first', async () => {
    const { shop, id } = await broken();
    const orphan = `CLEO_RUN_ID=${id} CLEO_EXECUTION_ID=${id}:second:b setsid sleep 47 >/dev/null 2>&1 &`;
    // This process has a clean environment, but still holds the inherited handle of its skill.
    const held = mkdtempSync(join(tmpdir(), `cleo-skill-${id}-`));
    execFileSync('sh', ['-c', `${orphan} exec env -i setsid sleep 47 >/dev/null 2>&1 3<${held} & sleep 0.2`]);
    const folder = join(shop.root, '.cleo/runs', id);
    for (const name of ['run.json', 'second/b/1/result.json']) writeFileSync(join(folder, `${name}.tmp-12-abc`), '{');
    const answer = await shop.runConstruct({ resume: id, input: { word: 'w' } });
    expect(answer._meta.warnings).toEqual([`${id}: killed 2 subprocesses that were still running`]);
    expect(existsSync(held)).toBe(false);
    expect(execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' })).not.toMatch(/^[^Z].*\bsleep 47$/m);
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('.tmp-'))).toEqual([]);
  });

  test('does not repeat a skill whose output contained a secret', async () => {
    const shop = await openSkillProject({ env: { API_TOKEN: 'correct-horse-battery-staple' } });
    shop.writeConstruct(formatTwoSkills('env: [API_TOKEN]'));
    shop.writeSkill('a', 'echo a >> a.log; echo "$API_TOKEN"');
    shop.writeSkill('b', 'echo b >> b.log');
    const { run } = await shop.runConstruct();
    expect((await shop.runConstruct({ resume: run.id })).run.executions).toMatchObject([{ skipped: true }, { skipped: true }]);
  });
});

describe('a review', () => {
  test('pauses the run, and its verdict continues it without repeating anything', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      formatTwoSkills('contracts: {first: {outputs: [out.md]}}\nassessment: {gates: {first: {goal: {mode: review, enforce: true}}}}'),
    );
    shop.writeSkill('a', 'echo $$ > out.md; echo made');
    shop.writeSkill('b', 'cat');
    const { error } = await shop.runConstruct({ intent: 'Write it' });
    const { run, review, then } = error.details;
    expect(error).toMatchObject({ exitCode: 83, message: expect.stringContaining(review), fix: `cleo review show ${review}` });
    const made = readFileSync(join(shop.root, 'out.md'), 'utf8');
    expect((await shop.cli(then)).envelope.error).toMatchObject({ exitCode: 83, details: { review } });
    await shop.as('ada').call('review.resolve', { review, verdict: 'pass', score: 0.8 }, asPerson);
    const done = (await shop.cli(then)).envelope;
    expect(done.run.executions).toMatchObject([
      { phase: 'first', status: 'success', skipped: true, gates: ['passed', 'passed', 'passed', 'passed', 'passed'] },
      { phase: 'second', status: 'success' },
    ]);
    expect(done.run.executions[0].warnings).toBeUndefined();
    expect(readFileSync(join(shop.root, 'out.md'), 'utf8')).toBe(made);
    expect(getGate(shop.readResult('first', 'a'), 4).details.checks_performed).toMatchObject([
      { name: 'review', passed: true, message: `${review}: ada says pass`, evidence: { actual: 0.8 } },
    ]);
    expect(await shop.call('trace.verify', { run: run.id })).toMatchObject({ success: true });
    expect((await shop.call('assess.run', { runs: [run.id] })).assessments).toMatchObject([
      { phase: 'first', status: 'success', dimensions: { correctness: { score: 20 }, quality: { score: 16 } } },
      { phase: 'second' },
    ]);
  });

  test('that rejects ends the run; a new output gets a new review', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(formatTwoSkills('assessment: {gates: {first: {goal: {mode: review, enforce: true}}}}'));
    shop.writeSkill('a', 'true');
    const { details } = (await shop.runConstruct({ intent: 'Write it' })).error;
    await shop.as('ada').call('review.resolve', { review: details.review, verdict: 'fail', score: 0 }, asPerson);
    const no = (await shop.cli(details.then)).envelope.error;
    expect(no).toMatchObject({ exitCode: 4, code: 'E_SKILL_PARTIAL', message: expect.stringContaining('ada says fail') });
    const again = (await shop.cli(no.fix)).envelope.error;
    expect(again).toMatchObject({ exitCode: 83, details: { run: { executions: [{ attempts: 1 }] } } });
    expect(again.details.review).not.toBe(details.review);
    expect((await shop.call('review.list', { status: 'all' })).reviews).toHaveLength(2);
  });

  test.each([
    ['by the code', 'exit 83', 83, 'the skill exited with 83 (escalation)'],
    ['by the name of the exit code', 'exit 9', 9, 'the skill exited with 9 (ask_us)'],
    [
      'by its result file, although it failed',
      'echo \'{"human_review_requested": true}\' > "$CLEO_RESULT"; exit 1',
      1,
      'the skill asked for it',
    ],
  ])('is requested by the skill: %s', async (_, script, exitCode, reason) => {
    const shop = await openOneSkillProject(script, 'exit_codes: {9: {name: ask_us, class: escalate}}');
    expect((await shop.runConstruct({ intent: 'Write it' })).error).toMatchObject({ exitCode });
    expect((await shop.call('review.list')).reviews).toMatchObject([{ kind: 'requested', reason, phase: 'only', skill: 'it' }]);
  });
});
