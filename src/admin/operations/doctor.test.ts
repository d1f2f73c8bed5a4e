import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder, type TestFolder } from '../../../test/folder.ts';

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const getPath = ({ root }: { root: string }, ...path: string[]): string => join(root, '.cleo', ...path);
const listFailed = (answer: Json): string[] =>
  answer.checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check);

test('reports a relation between parent and child of an older store', async () => {
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

if (process.platform !== 'win32')
  test('warns about a group-writable .cleo, which --fix closes', async () => {
    const app = await openApp();
    const listWritable = async () =>
      (await app.call('admin.doctor')).findings.filter(({ message }: Json) => message.includes('can be written by its group'));
    chmodSync(getPath(app, 'config.json'), 0o664);
    expect(await listWritable()).toEqual([]);
    chmodSync(getPath(app), 0o775);
    const expected = { check: 'files', severity: 'warning', fix: 'cleo doctor --fix' };
    expect(await listWritable()).toMatchObject([
      { ...expected, message: expect.stringContaining(`${getPath(app)} can`) },
      { ...expected, message: expect.stringContaining(`${getPath(app, 'config.json')} can`) },
    ]);
    expect(await app.call('admin.doctor.fix')).toMatchObject({ success: true });
    expect(await listWritable()).toEqual([]);
  });

test('lists all checks and no findings for an intact project', async () => {
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
    { check: 'log', ok: true, detail: '1 entry, unsigned' },
    { check: 'plan', ok: true },
  ]);
  expect(await app.call('admin.doctor.fix')).toMatchObject({ success: true, _meta: { exitCode: 102 }, repairs: [], findings: [] });
});

test('exits with 8 outside a project', async () => {
  expect(await createEmptyFolder().call('admin.doctor')).toMatchObject({ error: { code: 'E_NOT_INITIALIZED', exitCode: 8 } });
});

describe('finds problems and repairs them if that is safe', () => {
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
      why: 'a dependency on a missing task',
      tasks: ['T001', 'T002 depends T001', 'T003 depends T001,T002'],
      break: (app) => app.tamper("delete from tasks where id = 'T001'"),
      check: 'tasks',
      message: /T00[23] depends on T001, which does not exist/,
      after: async (app) => expect(await app.call('tasks.show', { taskId: 'T003' })).toMatchObject({ task: { depends: ['T002'] } }),
    },
    {
      why: 'an expired claim',
      tasks: ['T001 active by ada'],
      break: (app) => app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'"),
      check: 'tasks',
      message: /T001 is held by ada, who last wrote at 2020/,
      after: async (app) =>
        expect(await app.call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true, task: { status: 'active' } }),
    },
    {
      why: 'a claim of an ended or unknown session',
      tasks: [
        'T001 active by ada@session-1',
        'T002 active by bob@session-2',
        'T003 active by eve@session-3',
        'session session-1 global ended by ada',
        'session session-3 global by eve',
      ],
      break: (app) => app.as('eve').call('tasks.update', { taskId: 'T003', notes: 'Still here' }),
      check: 'sessions',
      message: /T00[12] is claimed by (ada|bob) in session-[12], which has ended/,
      after: async (app) => {
        expect(await app.call('tasks.list', { status: 'active' })).toMatchObject({ tasks: [{ id: 'T003' }] });
        expect(await app.call('tasks.show', { taskId: 'T003' })).toMatchObject({ claim: { agent: 'eve' } });
      },
    },
    {
      why: 'an unfinished job',
      break: (app) =>
        app.tamper("insert into jobs (operation, agent_id, started_at) values ('tasks.import', 'ada', '2020-01-01T00:00:00.000Z')"),
      check: 'jobs',
      message: /tasks.import, started by ada at 2020.*, did not finish/,
    },
    {
      why: 'invalid settings',
      break: (app) =>
        writeFileSync(getPath(app, 'config.json'), JSON.stringify({ ...readConfig(app), colour: 'red', store: { durability: 'fast' } })),
      check: 'config',
      message: /colour is not a key|store.durability must be one of/,
      after: async (app) => {
        expect(Object.keys(readConfig(app))).toEqual(['project']);
        expect(readCopy(app, 'config.json')).toMatchObject({ colour: 'red' });
      },
    },
    {
      why: 'a torn last line',
      break: (app) => {
        mkdirSync(getPath(app, 'metrics'));
        writeFileSync(getPath(app, 'metrics', 'GRADES.jsonl'), '{"a":1}\n{"b":');
      },
      check: 'files',
      message: /metrics.GRADES.jsonl: the last line is incomplete/,
      after: async (app) => {
        expect(readFileSync(getPath(app, 'metrics', 'GRADES.jsonl'), 'utf8')).toBe('{"a":1}\n');
        expect(readdirSync(getPath(app, 'metrics'))).toHaveLength(2);
      },
    },
    {
      why: 'a torn last line of the manifest, but not a complete one without a line end',
      break: (app) => {
        mkdirSync(getPath(app, 'research'));
        writeFileSync(getPath(app, 'research', 'MANIFEST.jsonl'), '{"a":1}\n{"b":');
        writeFileSync(getPath(app, 'research', 'MANIFEST.archive.jsonl'), '{"a":1}');
      },
      check: 'files',
      message: /research.MANIFEST.jsonl: the last line is incomplete/,
      after: async (app) => {
        expect(readFileSync(getPath(app, 'research', 'MANIFEST.jsonl'), 'utf8')).toBe('{"a":1}\n');
        expect(readFileSync(getPath(app, 'research', 'MANIFEST.archive.jsonl'), 'utf8')).toBe('{"a":1}');
      },
    },
    {
      why: 'files left behind by a killed process',
      break: (app) => {
        for (const name of ['cleo.db.new-12-abc', 'config.json.tmp-12-abc', 'config.json.lock']) {
          writeFileSync(getPath(app, name), 'x', { mode: 0o600 });
          utimesSync(getPath(app, name), longAgo, longAgo);
        }
      },
      check: 'files',
      message: /was left behind by a process that did not finish/,
      after: async (app) => expect(readdirSync(getPath(app)).filter((name) => /new-|tmp-|lock/.test(name))).toEqual([]),
    },
  ])('$why', async ({ tasks = [], break: damage, check, message, after }) => {
    const app = await openApp({ tasks });
    await damage(app);
    const report = await app.call('admin.doctor');
    expect(report.findings.length).toBeGreaterThan(0);
    for (const finding of report.findings) expect(finding).toMatchObject({ check, message: expect.stringMatching(message) });
    const repaired = (await app.cli('cleo doctor --fix')).envelope;
    expect(repaired).toMatchObject({ success: true, findings: [] });
    expect(repaired.repairs.length).toBeGreaterThan(0);
    expect(repaired.repairs[0]).toMatchObject({ check });
    expect((await app.call('admin.doctor')).findings).toEqual([]);
    await after?.(app);
  });

  test('exits with 15 for a task without its parent, and detaches it', async () => {
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

  test('reports a cycle, a wrong type and an open child of a done task, each with a fix', async () => {
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
  ])('reports misordered context levels in the settings of the %s', async (_, config, own, fix) => {
    const app = await openApp({ config });
    mkdirSync(app.env.CLEO_HOME!, { recursive: true, mode: 0o700 });
    writeFileSync(join(app.env.CLEO_HOME!, 'config.json'), JSON.stringify(own));
    const { findings } = await app.call('admin.doctor');
    expect(findings).toEqual([{ check: 'config', severity: 'warning', message: expect.stringContaining('it is never reached'), fix }]);
    expect((await app.cli(fix)).exitCode).toBe(0);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test('reports a changed log and an unknown migration without repairing them', async () => {
    const app = await openApp({ tasks: ['T001'] });
    await app.call('tasks.update', { taskId: 'T001', priority: 'high' });
    await app.tamper("update audit_log set params = '{}'; update schema_migrations set checksum = 'other' where version = 1");
    const { findings } = await app.call('admin.doctor');
    expect(findings).toMatchObject([
      { check: 'store', severity: 'error', message: expect.stringContaining('schema migration 1') },
      { check: 'log', severity: 'error', message: expect.stringContaining('entry 1 was changed'), fix: 'cleo log' },
    ]);
    expect(await app.call('admin.doctor.fix')).toMatchObject({
      _meta: { exitCode: 102 },
      repairs: [],
      findings: [{ check: 'store' }, { check: 'log' }],
    });
  });

  test('reports an invalid line in the middle of a file without removing it', async () => {
    const app = await openApp();
    writeFileSync(getPath(app, 'x.jsonl'), '{}\nbroken\n{}\n');
    expect((await app.call('admin.doctor')).findings).toEqual([
      { check: 'files', severity: 'error', message: '.cleo/x.jsonl: line 2 is not JSON', fix: `sed -n 2p ${getPath(app, 'x.jsonl')}` },
    ]);
    await app.call('admin.doctor.fix');
    expect(readFileSync(getPath(app, 'x.jsonl'), 'utf8')).toBe('{}\nbroken\n{}\n');
  });

  test('reports a clock behind the log, and does not expire claims by it', async () => {
    const clock = { now: '2026-01-02T00:00:00.000Z' };
    const app = await openApp({ tasks: ['T001 active by ada'], clock });
    await app.call('tasks.add', { title: 'x' });
    await app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
    clock.now = '2026-01-01T00:00:00.000Z';
    const { findings } = await app.call('admin.doctor');
    expect(findings).toContainEqual(expect.objectContaining({ check: 'log', severity: 'warning', fix: 'date -u' }));
    // PostgreSQL uses its own clock, which is correct even if the caller's is not.
    expect(findings).toHaveLength(process.env.CLEO_TEST_ENGINE === 'postgres' ? 2 : 1);
  });

  test('accepts a recent job, which may still be running', async () => {
    const app = await openApp();
    await app.tamper(`insert into jobs (operation, agent_id, started_at) values ('tasks.import', 'ada', '${new Date().toISOString()}')`);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  });

  test('warns about a password in the settings', async () => {
    const app = await openApp({ config: { store: { url: 'postgres://ada:hunter2@db.example/x' } }, env: { CLEO_DATABASE_URL: '' } });
    const [finding] = (await app.call('admin.doctor')).findings;
    expect(finding).toMatchObject({ check: 'config', severity: 'warning', fix: 'cleo config set store.url postgres://ada@db.example/x' });
  });
});

describe('reports a failed check as a finding', () => {
  const createProject = async (): Promise<TestFolder> => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    await folder.call('tasks.add', { title: 'First' });
    return folder;
  };

  test('skips the store if the settings are not JSON, and finds it after the repair', async () => {
    const folder = await createProject();
    const before = readConfig(folder);
    writeFileSync(getPath(folder, 'config.json'), `{"project":{"key":"${before.project.key}"},,}`);
    const report = await folder.call('admin.doctor');
    expect(report.findings).toMatchObject([
      { check: 'config', message: expect.stringContaining('not valid JSON'), fix: 'cleo doctor --fix' },
    ]);
    expect(listFailed(report)).toEqual(['config', 'store', 'tasks', 'sessions', 'jobs', 'log', 'plan']);
    expect((await folder.cli('cleo doctor --fix')).envelope).toMatchObject({ success: true, repairs: [{ check: 'config' }], findings: [] });
    expect(readConfig(folder).project).toEqual(before.project);
    expect(await folder.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'First' } });
  });

  if (isPostgres)
    test('an unreachable server', async () => {
      const folder = (await createProject()).withEnv({ CLEO_DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      writeFileSync(getPath(folder, 'config.json'), JSON.stringify({ ...readConfig(folder), store: { busyTimeoutMs: 200 } }));
      expect((await folder.call('admin.doctor')).findings).toMatchObject([
        { check: 'store', message: expect.stringContaining('cannot be reached'), fix: 'cleo config get store.url' },
      ]);
      expect(await folder.call('admin.doctor.fix')).toMatchObject({ _meta: { exitCode: 102 }, findings: [{ check: 'store' }] });
    });
  else {
    const removeLog = (folder: TestFolder): void => {
      for (const end of ['-wal', '-shm']) rmSync(getPath(folder, `cleo.db${end}`), { force: true });
    };

    test('a missing database, with and without a backup', async () => {
      const folder = await createProject();
      const { backup } = await folder.call('admin.backup.create');
      removeLog(folder);
      rmSync(getPath(folder, 'cleo.db'));
      expect((await folder.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: `cleo backup restore ${backup.id}` }]);
      rmSync(getPath(folder, 'backups'), { recursive: true });
      const { findings } = await folder.call('admin.doctor');
      expect(findings).toMatchObject([{ check: 'store', fix: 'cleo init' }]);
      expect((await folder.cli(findings[0].fix)).exitCode).toBe(0);
      expect((await folder.call('admin.doctor')).findings).toEqual([]);
    });

    test('moves an empty database away, so that init creates a new one', async () => {
      const folder = await createProject();
      removeLog(folder);
      truncateSync(getPath(folder, 'cleo.db'), 0);
      expect((await folder.call('admin.doctor')).findings).toMatchObject([{ check: 'store', severity: 'error' }]);
      expect((await folder.cli('cleo doctor --fix')).envelope).toMatchObject({
        repairs: [{ check: 'store' }],
        findings: [{ fix: 'cleo init' }],
      });
      expect((await folder.cli('cleo init')).exitCode).toBe(0);
    });

    test('leaves a damaged database unchanged', async () => {
      const folder = await createProject();
      removeLog(folder);
      const garbage = 'garbage'.repeat(1000);
      writeFileSync(getPath(folder, 'cleo.db'), garbage);
      for (const operation of ['admin.doctor', 'admin.doctor.fix'])
        expect((await folder.call(operation)).findings).toMatchObject([
          { check: 'store', fix: `mv ${getPath(folder, 'cleo.db')} ${getPath(folder, 'cleo.db.damaged')} && cleo init` },
        ]);
      expect(readFileSync(getPath(folder, 'cleo.db'), 'utf8')).toBe(garbage);
    });

    test('finds damage in a database that still opens, and suggests the newest backup', async () => {
      const folder = await createProject();
      const { backup } = await folder.call('admin.backup.create');
      await folder.call('tasks.add', { title: 'Second' });
      const bytes = readFileSync(getPath(folder, 'cleo.db'));
      expect(statSync(getPath(folder, 'cleo.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
      // The last pages contain indexes, which a plain read does not touch.
      bytes.fill(0xa7, bytes.length - 8192, bytes.length - 4096);
      writeFileSync(getPath(folder, 'cleo.db'), bytes);
      const { findings } = await folder.call('admin.doctor');
      expect(findings[0]).toMatchObject({ check: 'store', severity: 'error', fix: `cleo backup restore ${backup.id}` });
      expect((await folder.call('admin.doctor.fix')).repairs).toEqual([]);
    });

    test('an older and a newer store', async () => {
      const folder = await createProject();
      const app = await openApp();
      await app.tamper("insert into schema_migrations values (999, 'x', 'x')");
      const fresh = folder.withEnv({ CLEO_ROOT: app.root });
      expect((await fresh.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: 'cleo version' }]);
      await app.tamper("delete from schema_migrations; insert into schema_migrations values (0, 'x', 'x')");
      expect((await fresh.call('admin.doctor')).findings).toMatchObject([{ check: 'store', fix: 'cleo upgrade' }]);
    });

    test('changes no files', async () => {
      const folder = await createProject();
      // A reader may leave an empty write-ahead log and its index.
      const hashFiles = (): Record<string, string> =>
        Object.fromEntries(
          readdirSync(getPath(folder))
            .filter((name) => !name.endsWith('-shm') && statSync(getPath(folder, name)).size > 0)
            .map((name) => [name, sha256(readFileSync(getPath(folder, name), 'latin1'))]),
        );
      const before = hashFiles();
      await folder.call('admin.doctor');
      expect(hashFiles()).toEqual(before);
    });
  }
});

const readConfig = (at: { root: string }) => JSON.parse(readFileSync(getPath(at, 'config.json'), 'utf8'));

function readCopy(at: { root: string }, name: string): unknown {
  const kept = readdirSync(getPath(at)).find((other) => other.startsWith(`${name}.aside-`));
  return JSON.parse(readFileSync(getPath(at, kept ?? ''), 'utf8'));
}
