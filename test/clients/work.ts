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
    const git = (...words: string[]) => execFileSync('git', words, { cwd: project, env });
    git('add', '--all');
    git('commit', '-qm', 'Set up the client');
    await trustProject(project, env);
    await runAsPerson(scratch, ['add', 'The plan', '--type', 'epic']);
    await runAsPerson(scratch, ['add', 'Write the parser', '--parent', 'T001', '--description', 'In src/parser.txt']);
    const { env: own } = client.getCommand({ prompt: '', isResumed: false, isInteractive: false, modelUrl: standIn.url });
    const { whenEnded } = startCleo(['work', '--max-tasks', '1', '--json'], project, { ...env, ...own, GEMINI_MODEL: 'gemini-2.5-flash' });
    let isOver = false;
    const ended = whenEnded.finally(() => (isOver = true));
    const commit = 'git add --all && git commit -qm parser';
    const write = 'mkdir -p src && echo parsed > src/parser.txt && test -s src/parser.txt';
    const calls = [
      // Without a question, Gemini CLI runs only the programs that the profile names, and edits files with a tool.
      ...(client.name === 'gemini'
        ? [
            { name: 'write_file', args: { file_path: 'src/parser.txt', content: 'parsed\n' } },
            client.getShellCall('npm test'),
            client.getShellCall(commit),
          ]
        : [client.getShellCall(`${write} && ${commit}`)]),
      { ...client.getTool('mutate'), args: { domain: 'tasks', operation: 'complete', params: { taskId: 'T002' } } },
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
    const { out } = await startCleo(['log', '--json', '--operation', 'tasks.complete'], project, env).whenEnded;
    // The client completed the task over MCP, as the agent that was spawned for it.
    expect(JSON.parse(out).entries).toMatchObject([{ agent: 'T002-worker-1', success: true }]);
  });
}

async function readLogs(project: string, env: Record<string, string>): Promise<string> {
  const logs = await Promise.all([[], ['--errors']].map((flags) => runCleo(['work', 'logs', 'T002', ...flags], { cwd: project, env })));
  return logs
    .map(({ out, err }) => `${out}${err}`)
    .join('')
    .slice(-6000);
}
