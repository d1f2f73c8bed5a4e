import type { ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { type GithubServer, startGithubServer } from '../github-server.ts';
import { checkIntegrity, createFaultProject, type FaultProject, pickSize } from './processes.ts';

const newIds = 'T001,T002,T003';
const command = ['sync', 'github', '--repo', 'octo/plan'];

/** A project with two issues that were changed here, and three tasks without an issue. */
async function prepare(): Promise<{ server: GithubServer; project: FaultProject }> {
  const server = await startGithubServer();
  const project = await createFaultProject(undefined, { GITHUB_API_URL: server.url, GITHUB_TOKEN: server.token.value });
  await project.runOk(['add', 'Uploads', '--type', 'epic']);
  await project.runOk(['add', 'Resume', '--parent', 'T001', '--notes', 'A note of T002']);
  await project.runOk(['add', 'Retry', '--parent', 'T001', '--depends', 'T002', '--notes', 'A note of T003']);
  for (const title of ['One', 'Two']) server.addIssue({ title });
  server.addComment(1, 'A comment');
  await project.runOk(command);
  await project.runOk(['update', 'T004', '--title', 'One, changed', '--notes', 'A note of T004']);
  await project.runOk(['update', 'T005', '--add-depends', 'T004', '--add-labels', 'ready']);
  return { server, project };
}

/** Runs a sync that is killed at its request number `at`: before GitHub executes it, after that but without an answer, or a moment after
 *  the answer. */
async function killAt({ server, project }: Awaited<ReturnType<typeof prepare>>, at: number, kind: number): Promise<void> {
  const start = server.log.length;
  let child: ChildProcess | undefined;
  server.onRequest = (_, count) => {
    if (count - start !== at) return undefined;
    if (kind === 2) {
      setTimeout(() => child?.kill('SIGKILL'), Math.random() * 30);
      return undefined;
    }
    child?.kill('SIGKILL');
    return kind === 0 ? 'before' : 'after';
  };
  await project.run([...command, '--push', newIds], {
    onStart: (started) => {
      child = started;
    },
  });
  server.onRequest = undefined;
}

test('a sync that is killed at any moment, and again, doubles nothing and loses nothing', async () => {
  const moments = pickSize(6, 50);
  for (let i = 0; i < moments; i += 1) {
    const world = await prepare();
    const { server, project } = world;
    const [at, kind] = [(i * 5) % 24, i % 3];
    await killAt(world, at, kind);
    await killAt(world, (at * 7 + 3) % 24, (kind + 1) % 3);
    await project.run([...command, '--push', newIds]);
    const where = `killed at request ${at}, kind ${kind}`;
    const last = await project.run([...command, '--push', newIds]);
    expect([last.exitCode, last.answer.sync.pushed], where).toEqual([102, { created: 0, updated: 0 }]);
    const issues = [...server.issues.values()];
    expect(issues.map(({ title }) => title).toSorted(), where).toEqual(['One, changed', 'Resume', 'Retry', 'Two', 'Uploads']);
    const find = (title: string) => issues.find((issue) => issue.title === title)!;
    expect([find('Resume').parent, find('Retry').parent], where).toEqual([find('Uploads').number, find('Uploads').number]);
    expect([find('Retry').blockedBy, find('Two').blockedBy, find('Two').labels], where).toEqual([[find('Resume').number], [1], ['ready']]);
    const texts = server.comments.map(({ body }) => body.split('\n')[0]).toSorted();
    expect(texts, where).toEqual(['A comment', 'A note of T002', 'A note of T003', 'A note of T004']);
    const { tasks } = (await project.runOk(['list', '--json'])) as { tasks: { id: string; notes?: unknown[] }[] };
    expect(tasks.map(({ id }) => id).toSorted(), where).toEqual(['T001', 'T002', 'T003', 'T004', 'T005']);
    const notes = Object.fromEntries(tasks.map(({ id, notes: list }) => [id, list?.length ?? 0]));
    expect(notes, where).toEqual({ T001: 0, T002: 1, T003: 1, T004: 2, T005: 0 });
    expect(server.violations, where).toEqual([]);
    expect(checkIntegrity(project.database)).toBe('ok');
    await server.close();
  }
});
