import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '#lib/sha256.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder, type TestFolder } from '../../../test/folder.ts';

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const cleo = ({ root }: { root: string }, ...path: string[]): string => join(root, '.cleo', ...path);
const failed = (answer: Json): string[] =>
  answer.checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check);

test('a parent and a child that an older store let be related are told apart again', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  const relation = `insert into task_relations (task_id, related_to, relation_type, reason, created_at, created_by)
    values ('T002', 'T001', 'related', 'the same', '2026-01-01T00:00:00.000Z', 'ada')`;
  await app.tamper(isPostgres ? relation : `drop trigger relation_is_no_containment; ${relation}`);
  const { findings } = await app.call('admin.doctor');
  expect(findings).toMatchObject([
    { check: 'tasks', severity: 'warning', message: expect.stringContaining('T002'), fix: 'cleo relates remove T002 T001' },
  ]);
  expect((await app.cli(findings[0].fix)).exitCode).toBe(0);
  expect((await app.call('admin.doctor')).findings).toEqual([]);
});

test('a sound project has no findings, and what was looked at is told', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  await app.call('tasks.update', { taskId: 'T002', priority: 'high' });
  const answer = await app.call('admin.doctor');
  expect(answer).toMatchObject({ success: true, findings: [] });
  expect(answer.checks).toEqual([
    { check: 'runtime', ok: true, detail: expect.stringMatching(/^node [\d.]+, SQLite 3\.[\d.]+$/) },
    { check: 'config', ok: true },
    { check: 'files', ok: true },
    { check: 'store', ok: true, detail: expect.stringMatching(/^schema \d+$/) },
    { check: 'tasks', ok: true, detail: '2 tasks' },
    { check: 'sessions', ok: true, detail: '0 active' },
    { check: 'jobs', ok: true },
    { check: 'log', ok: true, detail: '1 entry' },
  ]);
  expect(await app.call('admin.doctor.fix')).toMatchObject({ success: true, _meta: { exitCode: 102 }, repairs: [], findings: [] });
});

test('outside a project there is nothing to examine', async () => {
  expect(await createEmptyFolder().call('admin.doctor')).toMatchObject({ error: { code: 'E_NOT_INITIALIZED', exitCode: 8 } });
});

describe('each thing that can be broken is found, and repaired where that is safe', () => {
  interface Case {
    why: string;
    tasks?: string[];
    break: (app: TestApp) => unknown;
    check: string;
    message: RegExp;
    after?: (app: TestApp) => Promise<unknown>;
  }
  const longAgo = new Date('2020-01-01');

  test.each<Case>([
    {
      why: 'a dependency on nothing',
      tasks: ['T001', 'T002 depends T001', 'T003 depends T001,T002'],
      break: (app) => app.tamper("delete from tasks where id = 'T001'"),
      check: 'tasks',
      message: /T00[23] depends on T001, which does not exist/,
      after: async (app) => expect(await app.call('tasks.show', { taskId: 'T003' })).toMatchObject({ task: { depends: ['T002'] } }),
    },
    {
      why: 'a claim that ran out',
      tasks: ['T001 active by ada'],
      break: (app) => app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'"),
      check: 'tasks',
      message: /T001 is held by ada, who last wrote at 2020/,
      after: async (app) =>
        expect(await app.call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true, task: { status: 'active' } }),
    },
    {
      why: 'a claim of a session that has ended, or never was',
      tasks: [
        'T001 active by ada@session-1',
        'T002 active by bob@session-2',
        'T003 active by eve@session-3',
        'session session-1 global ended by ada',
        'session session-3 global by eve',
      ],
      break: (app) => app.as('eve').call('tasks.update', { taskId: 'T003', notes: 'Still here' }),
      check: 'sessions',
      message: /T00[12] is held by (ada|bob) in session-[12], which is over/,
      after: async (app) => {
        expect(await app.call('tasks.list', { status: 'active' })).toMatchObject({ tasks: [{ id: 'T003' }] });
        expect(await app.call('tasks.show', { taskId: 'T003' })).toMatchObject({ claim: { agent: 'eve' } });
      },
    },
    {
      why: 'a job that did not finish',
      break: (app) =>
        app.tamper("insert into jobs (operation, agent_id, started_at) values ('tasks.import', 'ada', '2020-01-01T00:00:00.000Z')"),
      check: 'jobs',
      message: /tasks.import, begun by ada at 2020.*, did not finish/,
    },
    {
      why: 'settings that are none',
      break: (app) =>
        writeFileSync(cleo(app, 'config.json'), JSON.stringify({ ...configOf(app), colour: 'red', store: { durability: 'fast' } })),
      check: 'config',
      message: /colour is not a key|store.durability must be one of/,
      after: async (app) => {
        expect(Object.keys(configOf(app))).toEqual(['project']);
        expect(aside(app, 'config.json')).toMatchObject({ colour: 'red' });
      },
    },
    {
      why: 'a torn last line',
      break: (app) => {
        mkdirSync(cleo(app, 'metrics'));
        writeFileSync(cleo(app, 'metrics', 'GRADES.jsonl'), '{"a":1}\n{"b":');
      },
      check: 'files',
      message: /metrics.GRADES.jsonl: the last line was cut short/,
      after: async (app) => {
        expect(readFileSync(cleo(app, 'metrics', 'GRADES.jsonl'), 'utf8')).toBe('{"a":1}\n');
        expect(readdirSync(cleo(app, 'metrics'))).toHaveLength(2);
      },
    },
    {
      why: 'a torn last line of the manifest, where one that only lacks its end is none',
      break: (app) => {
        mkdirSync(cleo(app, 'research'));
        writeFileSync(cleo(app, 'research', 'MANIFEST.jsonl'), '{"a":1}\n{"b":');
        writeFileSync(cleo(app, 'research', 'MANIFEST.archive.jsonl'), '{"a":1}');
      },
      check: 'files',
      message: /research.MANIFEST.jsonl: the last line was cut short/,
      after: async (app) => {
        expect(readFileSync(cleo(app, 'research', 'MANIFEST.jsonl'), 'utf8')).toBe('{"a":1}\n');
        expect(readFileSync(cleo(app, 'research', 'MANIFEST.archive.jsonl'), 'utf8')).toBe('{"a":1}');
      },
    },
    {
      why: 'what a process that died left behind',
      break: (app) => {
        for (const name of ['cleo.db.new-12-abc', 'config.json.tmp-12-abc', 'config.json.lock']) {
          writeFileSync(cleo(app, name), 'x');
          utimesSync(cleo(app, name), longAgo, longAgo);
        }
      },
      check: 'files',
      message: /was left by a process that did not finish/,
      after: async (app) => expect(readdirSync(cleo(app)).filter((name) => /new-|tmp-|lock/.test(name))).toEqual([]),
    },
  ])('$why', async ({ tasks = [], break: damage, check, message, after }) => {
    const app = await openApp({ tasks });
    await damage(app);
    const examined = await app.call('admin.doctor');
    expect(examined.findings.length).toBeGreaterThan(0);
    for (const finding of examined.findings) expect(finding).toMatchObject({ check, message: expect.stringMatching(message) });
    const repaired = (await app.cli('cleo doctor --fix')).envelope;
    expect(repaired).toMatchObject({ success: true, findings: [] });
    expect(repaired.repairs.length).toBeGreaterThan(0);
    expect(repaired.repairs[0]).toMatchObject({ check });
    expect((await app.call('admin.doctor')).findings).toEqual([]);
    await after?.(app);
  });

  test('a child without its parent is 15; repaired, it stands alone, and its history says why', async () => {
    const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'] });
    await app.tamper("delete from tasks where id = 'T002'");
    const { error } = await app.call('admin.doctor');
    expect(error).toMatchObject({
      code: 'E_ORPHAN_DETECTED',
      exitCode: 15,
      fix: 'cleo doctor --fix',
      details: { orphans: ['T003'], findings: [{ check: 'tasks', severity: 'error' }] },
    });
    expect((await app.cli(error.fix)).envelope).toMatchObject({
      success: true,
      repairs: [{ check: 'tasks' }],
      data: { updated: ['T003'] },
    });
    expect(await app.call('tasks.show', { taskId: 'T003' })).toMatchObject({ task: { type: 'task' } });
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test('a circle, a wrong tier and an open child below a done one are told, each with its fix', async () => {
    const app = await openApp({ tasks: ['T001', 'T002 depends T001', 'T003 epic', 'T004 in T003', 'T005'] });
    await app.tamper(
      "insert into task_dependencies values ('T001', 0, 'T002'); update tasks set status = 'done' where id = 'T003'; update tasks set type = 'subtask' where id = 'T005'",
    );
    const { findings } = await app.call('admin.doctor');
    expect(findings.map(({ fix }: { fix: string }) => fix)).toEqual([
      'cleo update T005 --type task',
      'cleo update T001 --remove-depends T002',
      'cleo reopen T003',
    ]);
    for (const { fix } of findings) expect((await app.cli(fix)).exitCode).toBe(0);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test.each([
    ['project', { context: { warningPercent: 90 } }, {}, 'cleo config unset context.warningPercent'],
    ['user', {}, { context: { criticalPercent: 80 } }, 'cleo config unset context.criticalPercent --user'],
  ])('levels of the context window out of order in the settings of the %s', async (_, config, own, fix) => {
    const app = await openApp({ config });
    mkdirSync(app.env.CLEO_HOME!, { recursive: true });
    writeFileSync(join(app.env.CLEO_HOME!, 'config.json'), JSON.stringify(own));
    const { findings } = await app.call('admin.doctor');
    expect(findings).toEqual([{ check: 'config', severity: 'warning', message: expect.stringContaining('it is never reached'), fix }]);
    expect((await app.cli(fix)).exitCode).toBe(0);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test('a log that was changed, and a step of the schema that is not ours, are told and left', async () => {
    const app = await openApp({ tasks: ['T001'] });
    await app.call('tasks.update', { taskId: 'T001', priority: 'high' });
    await app.tamper("update audit_log set params = '{}'; update schema_migrations set checksum = 'other' where version = 1");
    const { findings } = await app.call('admin.doctor');
    expect(findings).toMatchObject([
      { check: 'store', severity: 'error', message: expect.stringContaining('step 1 of the schema') },
      { check: 'log', severity: 'error', message: expect.stringContaining('entry 1 was changed'), fix: 'cleo log' },
    ]);
    expect(await app.call('admin.doctor.fix')).toMatchObject({
      _meta: { exitCode: 102 },
      repairs: [],
      findings: [{ check: 'store' }, { check: 'log' }],
    });
  });

  test('a line in the middle that is no JSON is shown, not cut', async () => {
    const app = await openApp();
    writeFileSync(cleo(app, 'x.jsonl'), '{}\nbroken\n{}\n');
    expect((await app.call('admin.doctor')).findings).toEqual([
      { check: 'files', severity: 'error', message: '.cleo/x.jsonl: line 2 is not JSON', fix: `sed -n 2p ${cleo(app, 'x.jsonl')}` },
    ]);
    await app.call('admin.doctor.fix');
    expect(readFileSync(cleo(app, 'x.jsonl'), 'utf8')).toBe('{}\nbroken\n{}\n');
  });

  test('a clock behind the log is told, and by it no claim has run out', async () => {
    const clock = { now: '2026-01-02T00:00:00.000Z' };
    const app = await openApp({ tasks: ['T001 active by ada'], clock });
    await app.call('tasks.add', { title: 'x' });
    await app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
    clock.now = '2026-01-01T00:00:00.000Z';
    const { findings } = await app.call('admin.doctor');
    expect(findings).toContainEqual(expect.objectContaining({ check: 'log', severity: 'warning', fix: 'date -u' }));
    // PostgreSQL judges by its own clock, which is right whatever the caller's says.
    expect(findings).toHaveLength(process.env.CLEO_TEST_ENGINE === 'postgres' ? 2 : 1);
  });

  test('a job of the last minutes may still be running', async () => {
    const app = await openApp();
    await app.tamper(`insert into jobs (operation, agent_id, started_at) values ('tasks.import', 'ada', '${new Date().toISOString()}')`);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test('a password in the settings is warned about', async () => {
    const app = await openApp({ config: { store: { url: 'postgres://ada:hunter2@db.example/x' } }, env: { CLEO_DATABASE_URL: '' } });
    const [finding] = (await app.call('admin.doctor')).findings;
    expect(finding).toMatchObject({ check: 'config', severity: 'warning', fix: 'cleo config set store.url postgres://ada@db.example/x' });
  });
});

describe('what cannot be looked at is a finding, not a failure', () => {
  const project = async (): Promise<TestFolder> => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    await folder.call('tasks.add', { title: 'First' });
    return folder;
  };

  test('settings that are no JSON: the store waits; repaired, it is found again', async () => {
    const folder = await project();
    const before = configOf(folder);
    writeFileSync(cleo(folder, 'config.json'), `{"project":{"key":"${before.project.key}"},,}`);
    const examined = await folder.call('admin.doctor');
    expect(examined.findings).toMatchObject([
      { check: 'config', message: expect.stringContaining('not valid JSON'), fix: 'cleo doctor --fix' },
    ]);
    expect(failed(examined)).toEqual(['config', 'store', 'tasks', 'sessions', 'jobs', 'log']);
    expect((await folder.cli('cleo doctor --fix')).envelope).toMatchObject({ success: true, repairs: [{ check: 'config' }], findings: [] });
    expect(configOf(folder).project).toEqual(before.project);
    expect(await folder.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'First' } });
  });

  if (isPostgres)
    test('a server that is not there', async () => {
      const folder = (await project()).withEnv({ CLEO_DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      const examined = await folder.call('admin.doctor');
      expect(examined.findings).toMatchObject([
        { check: 'store', message: expect.stringContaining('cannot be reached'), fix: 'cleo config get store.url' },
      ]);
      expect(await folder.call('admin.doctor.fix')).toMatchObject({ _meta: { exitCode: 102 }, findings: [{ check: 'store' }] });
    });
  else {
    const withoutLog = (folder: TestFolder): void => {
      for (const end of ['-wal', '-shm']) rmSync(cleo(folder, `cleo.db${end}`), { force: true });
    };

    test('a database that is missing, with and without a backup', async () => {
      const folder = await project();
      const { backup } = await folder.call('admin.backup.create');
      withoutLog(folder);
      rmSync(cleo(folder, 'cleo.db'));
      expect((await folder.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: `cleo backup restore ${backup.id}` }]);
      rmSync(cleo(folder, 'backups'), { recursive: true });
      const { findings } = await folder.call('admin.doctor');
      expect(findings).toMatchObject([{ check: 'store', fix: 'cleo init' }]);
      expect((await folder.cli(findings[0].fix)).exitCode).toBe(0);
      expect((await folder.call('admin.doctor')).findings).toEqual([]);
    });

    test('an empty database is moved aside, and the way to a new one is clear', async () => {
      const folder = await project();
      withoutLog(folder);
      truncateSync(cleo(folder, 'cleo.db'), 0);
      expect((await folder.call('admin.doctor')).findings).toMatchObject([{ check: 'store', severity: 'error' }]);
      expect((await folder.cli('cleo doctor --fix')).envelope).toMatchObject({
        repairs: [{ check: 'store' }],
        findings: [{ fix: 'cleo init' }],
      });
      expect((await folder.cli('cleo init')).exitCode).toBe(0);
    });

    test('a damaged one is left as it is', async () => {
      const folder = await project();
      withoutLog(folder);
      const garbage = 'garbage'.repeat(1000);
      writeFileSync(cleo(folder, 'cleo.db'), garbage);
      for (const operation of ['admin.doctor', 'admin.doctor.fix'])
        expect((await folder.call(operation)).findings).toMatchObject([
          { check: 'store', fix: `mv ${cleo(folder, 'cleo.db')} ${cleo(folder, 'cleo.db.damaged')} && cleo init` },
        ]);
      expect(readFileSync(cleo(folder, 'cleo.db'), 'utf8')).toBe(garbage);
    });

    test('damage inside a database that still opens is found, and the newest backup named', async () => {
      const folder = await project();
      const { backup } = await folder.call('admin.backup.create');
      await folder.call('tasks.add', { title: 'Second' });
      const bytes = readFileSync(cleo(folder, 'cleo.db'));
      expect(statSync(cleo(folder, 'cleo.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
      // The last pages hold indexes and search, which a plain read does not touch.
      bytes.fill(0xa7, bytes.length - 8192, bytes.length - 4096);
      writeFileSync(cleo(folder, 'cleo.db'), bytes);
      const { findings } = await folder.call('admin.doctor');
      expect(findings[0]).toMatchObject({ check: 'store', severity: 'error', fix: `cleo backup restore ${backup.id}` });
      expect((await folder.call('admin.doctor.fix')).repairs).toEqual([]);
    });

    test('an older store, and a newer one', async () => {
      const folder = await project();
      const app = await openApp();
      await app.tamper("insert into schema_migrations values (999, 'x', 'x')");
      const fresh = folder.withEnv({ CLEO_ROOT: app.root });
      expect((await fresh.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: 'cleo version' }]);
      await app.tamper("delete from schema_migrations; insert into schema_migrations values (0, 'x', 'x')");
      expect((await fresh.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: 'cleo upgrade' }]);
    });

    test('examining leaves every file as it is', async () => {
      const folder = await project();
      // A reader may leave an empty log and its index.
      const seen = (): Record<string, string> =>
        Object.fromEntries(
          readdirSync(cleo(folder))
            .filter((name) => !name.endsWith('-shm') && statSync(cleo(folder, name)).size > 0)
            .map((name) => [name, sha256(readFileSync(cleo(folder, name), 'latin1'))]),
        );
      const before = seen();
      await folder.call('admin.doctor');
      expect(seen()).toEqual(before);
    });
  }
});

const configOf = (at: { root: string }) => JSON.parse(readFileSync(cleo(at, 'config.json'), 'utf8'));

function aside(at: { root: string }, name: string): unknown {
  const kept = readdirSync(cleo(at)).find((other) => other.startsWith(`${name}.aside-`));
  return JSON.parse(readFileSync(cleo(at, kept ?? ''), 'utf8'));
}
