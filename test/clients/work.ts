import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCleo } from '../built-cli.ts';
import { trustProject } from '../trust.ts';
import { startCleo } from '../work/project.ts';
import { type TestClient, writeFile } from './client.ts';
import { createScratch, runAsPerson } from './scratch.ts';
import { startStandIn } from './stand-in.ts';

const done = 'Implementation complete. See MANIFEST.jsonl for summary.';

/** What a person sets besides the shipped profile so that it reaches the scripted model. */
const settings: Record<TestClient['name'], { env: string[]; file?: [string, (text: string, url: string) => string] }> = {
  claude: { env: [] },
  codex: { env: ['STANDIN_KEY'], file: ['.codex/config.toml', (text, url) => text.replace('http://127.0.0.1:1', url)] },
  gemini: { env: [] },
  opencode: {
    env: ['STANDIN_URL'],
    file: ['.config/opencode/opencode.json', (text) => JSON.stringify({ ...JSON.parse(text), model: 'standin/m' })],
  },
};

/** Lets `cleo work` do one task with the shipped profile of a real client: a file is written, a test runs, the task is completed. */
export function testWork(client: TestClient): void {
  test(`cleo work does a task with the shipped profile ${client.name}`, async () => {
    const scratch = await createScratch(client);
    const { home, project, bin, env } = scratch;
    symlinkSync(join(process.env.CLEO_CLIENTS_DIR ?? '', client.name, 'node_modules', '.bin', client.name), join(bin, client.name));
    const standIn = await startStandIn(client.api, join(scratch.folder, 'requests-work.jsonl'));
    onTestFinished(() => standIn.close());
    const { env: names, file } = settings[client.name];
    if (file) writeFile(join(home, file[0]), file[1](readFileSync(join(home, file[0]), 'utf8'), standIn.url));
    const config = {
      lifecycleEnforcement: { mode: 'off' },
      work: { profile: client.name, rounds: 1 },
      profiles: { [client.name]: { env: names } },
    };
    writeFile(join(home, '.cleo', 'config.json'), config);
    // A worktree contains what is committed, the set-up of the client among it.
    writeFile(join(project, 'package.json'), { scripts: { test: 'test -s src/parser.txt' } });
    await runAsPerson(scratch, ['config', 'set', 'verification.tools.test', 'npm test']);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: project, env });
    git('add', '--all');
    git('commit', '-qm', 'Set up the client');
    await trustProject(project, env);
    await runAsPerson(scratch, ['add', 'The plan', '--type', 'epic']);
    await runAsPerson(scratch, [
      'add',
      'Write the parser',
      '--parent',
      'T001',
      '--description',
      'In src/parser.txt',
      '--accept-evidence',
      'implemented,testsPassed',
    ]);
    const { env: own } = client.getCommand({ prompt: '', isResumed: false, isInteractive: false, modelUrl: standIn.url });
    const { whenEnded } = startCleo(['work', '--max-tasks', '1', '--json'], project, { ...env, ...own, GEMINI_MODEL: 'gemini-2.5-flash' });
    let isOver = false;
    const ended = whenEnded.finally(() => (isOver = true));
    const commit = 'git add --all && git commit -qm parser';
    const write = 'mkdir -p src && echo parsed > src/parser.txt && test -s src/parser.txt';
    const mutate = (domain: string, operation: string, params: object) => ({
      ...client.getTool('mutate'),
      args: { domain, operation, params },
    });
    const calls = [
      // Without a question, Gemini CLI runs only the programs that the profile names, and edits files with a tool.
      ...(client.name === 'gemini'
        ? [
            { name: 'write_file', args: { file_path: 'src/parser.txt', content: 'parsed\n' } },
            client.getShellCall('npm test'),
            client.getShellCall(commit),
          ]
        : [client.getShellCall(`${write} && ${commit}`)]),
      // An agent must not start agents itself.
      mutate('work', 'run', { dryRun: true }),
      // The test runs outside the sandbox of the client, as evidence.
      mutate('verify', 'gate', { taskId: 'T002', gate: 'implemented', evidence: 'commit:HEAD' }),
      mutate('verify', 'gate', { taskId: 'T002', gate: 'testsPassed', evidence: 'tool:test' }),
      mutate('tasks', 'complete', { taskId: 'T002' }),
    ];
    const play = async (): Promise<void> => {
      for (let step = 0; !isOver; step += 1) {
        await standIn.waitForRequest();
        const call = calls[step];
        standIn.reply(call ? { calls: [{ id: `call_${step}`, ...call }] } : { text: done });
      }
    };
    await Promise.race([play(), ended]);
    const { answer, err } = await ended;
    const branch = 'cleo/T002-write-the-parser';
    expect(answer.work?.tasks, `${JSON.stringify(answer.error)} ${err} ${await readLogs(project, env)}`).toMatchObject([
      { taskId: 'T002', outcome: 'done', branch },
    ]);
    expect(answer.work.tasks[0].usage.inputTokens).toBeGreaterThan(0);
    const call = async (...words: string[]) => (await startCleo([...words, '--json'], project, env).whenEnded).answer;
    // The client completed the task over MCP, as the agent that was spawned for it.
    expect((await call('log', '--operation', 'tasks.complete')).entries).toMatchObject([{ agent: 'T002-worker-1', success: true }]);
    const nested = (await call('log', '--operation', 'work.run')).entries.filter(
      ({ agent }: { agent: string }) => agent === 'T002-worker-1',
    );
    expect(nested).toMatchObject([{ success: false, errorCode: 'E_FORBIDDEN' }]);
    expect(execFileSync('git', ['show', `${branch}:src/parser.txt`], { cwd: project, env, encoding: 'utf8' })).toBe('parsed\n');
    // Its tool calls and its last message are in the trace.
    const { lines } = await call('trace', 'query', '--event', 'execution_progress', '--limit', '0');
    const sources = lines.map(({ data }: { data: { source: string } }) => data.source);
    expect(sources.filter((source: string) => source === 'tool').length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(lines[0])).toContain(done);
  });
}

async function readLogs(project: string, env: Record<string, string>): Promise<string> {
  const logs = await Promise.all([[], ['--errors']].map((flags) => runCleo(['work', 'logs', 'T002', ...flags], { cwd: project, env })));
  return logs
    .map(({ out, err }) => `${out}${err}`)
    .join('')
    .slice(-6000);
}
