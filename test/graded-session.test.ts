import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from './app.ts';
import { runCleo } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';

/** Creates a project whose commands run as separate processes. */
async function project(env: Record<string, string> = {}) {
  const cwd = createTempFolder();
  const home = { CLEO_HOME: join(cwd, 'home') };
  const run = async (...words: string[]): Promise<{ exitCode: number | null; answer: Json }> => {
    const { exitCode, out, err } = await runCleo([...words, '--json'], { cwd, env: { ...home, ...env } });
    expect(err).toBe('');
    return { exitCode, answer: JSON.parse(out) };
  };
  await runCleo(['init'], { cwd, env: home });
  return { cwd, run };
}

const listScores = (grade: Json): number[] => Object.values(grade.dimensions as Json).map(({ score }) => score);

test.each([
  { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-env' },
  { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_ID: 'session-env' },
  { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-env', CLEO_SESSION_ID: 'session-env' },
])('commands with only %o form a session that can be graded', async (env) => {
  const { run, cwd } = await project(env);
  await run('session', 'list');
  await run('help');
  await run('find', 'parser');
  await run('add', 'Write the parser', '--description', 'Reads the grammar');
  await run('add', 'Test the parser');
  await run('show', 'T1');
  expect((await run('show', 'T900')).exitCode).toBe(4);
  await run('next');
  const { exitCode, answer } = await run('grade', 'session-env');
  expect(exitCode).toBe(0);
  expect(answer.grade.flags).toEqual([
    'session.end never called (always end sessions when done)',
    'tasks.add without description (taskId: T002)',
    'E_NOT_FOUND on tasks.show not followed by tasks.find or tasks.exists',
    'No MCP query calls (prefer cleo_query over CLI for programmatic access)',
  ]);
  expect(listScores(answer.grade)).toEqual([10, 20, 15, 15, 10]);
  expect(answer.grade).toMatchObject({ totalScore: 70, letter: 'C', entryCount: 8 });
  const [line] = readFileSync(join(cwd, '.cleo', 'metrics', 'GRADES.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line!)).toMatchObject({ sessionId: 'session-env', totalScore: 70, evaluator: 'auto' });
});

test('a session started with --grade records all commands, reads included, until it ends', async () => {
  const { run } = await project();
  await run('add', 'Build the parser', '--type', 'epic', '--description', 'All of it');
  await run('add', 'Read the grammar', '--parent', 'T1', '--description', 'The lexer first');
  const started = await run('session', 'start', '--scope', 'epic:T1', '--auto-focus', '--name', 'Parser', '--grade');
  expect(started.exitCode).toBe(0);
  const { id } = started.answer.session;
  await run('session', 'list');
  await run('show', 'T2');
  expect((await run('show', 'T900')).exitCode).toBe(4);
  await run('exists', 'T900');
  await run('exists', 'T1');
  await run('add', 'Write the tests', '--parent', 'T1', '--description', 'With examples');
  await run('complete', 'T2');
  expect((await run('session', 'end', '--note', 'The grammar is read')).exitCode).toBe(0);
  // After the end of the session.
  await run('list');
  await run('add', 'Something else');

  const { answer } = await run('grade', id, '--explain');
  expect(answer.grade).toMatchObject({ sessionId: id, taskId: 'T001', entryCount: 9 });
  expect(listScores(answer.grade)).toEqual([20, 15, 20, 20, 0]);
  expect(answer.grade.dimensions.errorProtocol.evidence).toEqual([
    'E_NOT_FOUND followed by recovery lookup',
    'No error protocol violations',
  ]);
  expect(answer.explanation.map(({ points, command }: Json) => [points, command])).toEqual([
    [5, "cleo find '<words>'"],
    [10, 'cleo help'],
    [10, undefined],
  ]);
  expect((await run('grade', id, '--verify')).exitCode).toBe(0);
  expect((await run('grade', id, '--min', '75')).exitCode).toBe(0);
  expect((await run('grade', id, '--min', '76')).exitCode).toBe(1);
  expect((await run('grade')).answer.grades).toHaveLength(3);
  expect((await run('grade', '--trend')).answer.trend).toMatchObject([{ sessions: 1, last: 75 }]);
  expect((await run('audit', 'verify')).exitCode).toBe(0);
});
