import { join } from 'node:path';
import { isInterruptedStart } from '#core/rules/interrupted-start.ts';
import { defined } from '#lib/collections.ts';
import type { ProcessResult, ProcessSpec } from '#platform/runner/port.ts';
import { formatKilledProcesses } from '#runs/rules/gate/gate.ts';
import type { RunContext } from '#runs/runner/run-context.ts';
import type { AgentEvent, StreamState } from '../../model/agent-event.ts';
import type { Profile } from '../../model/profile.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { addUsage, parseAgentLine, startStream, stepStream } from '../../rules/agent-stream.ts';
import { createAgentCommand, formatWritable } from '../../rules/profiles.ts';
import { listStoreVariables } from '../../rules/store-variables.ts';
import { report, saveItem, type WorkRun } from './work-run.ts';

/** Time that an agent gets to end after SIGTERM. */
const killGraceMs = 5000;
const maxEvents = 2000;
const maxLineLength = 200_000;
/** A new last line, and new figures, are stored and shown at once, but not more often than this. */
const showEveryMs = 500;

interface AgentStart {
  profile: Profile;
  /** Names the round in the trace: `round-1`, `round-1-validator`. */
  phase: string;
  folder: string;
  prompt: string;
  promptFile: string;
  /** Variables that identify the agent. */
  env: Record<string, string>;
  signal: AbortSignal;
}

export interface AgentEnd {
  result: ProcessResult;
  stream: StreamState;
}

/** Runs one agent until it has ended with everything that it started. Its output goes to the logs and, as events, to the trace. */
export async function runAgent(work: WorkRun, run: RunContext, item: WorkItem, start: AgentStart): Promise<AgentEnd> {
  const { runner, ctx, git, process } = work;
  const { profile, phase, env } = start;
  const runId = run.record.run_id;
  const executionId = `${runId}:${phase}:${profile.name}`;
  const subject = { execution_id: executionId, phase, skill: profile.name, attempt: 1 };
  const values = {
    prompt: start.prompt,
    promptFile: start.promptFile,
    root: ctx.project.root,
    output: item.outputDir,
    agent: item.agentId,
    home: ctx.platform.home,
    writable: profile.argv.some((word) => word.includes('{writable}'))
      ? formatWritable([start.folder, item.outputDir, ...(await git.findGitFolders(start.folder))])
      : '',
  };
  const command = createAgentCommand(profile, values);
  const logs = runner.runs.createAttemptFolder(runId, phase, profile.name, 1);
  const scratch = runner.createScratch(runId);
  run.emit('attempt_started', { program: command.argv[0] ?? '', timeout_ms: profile.timeoutMinutes * 60_000 }, subject);
  const output = followOutput(work, run, item, profile, subject);
  let result: ProcessResult;
  try {
    const spec: ProcessSpec = {
      argv: command.argv,
      shell: false,
      folder: start.folder,
      env: {
        ...runner.selectSkillEnvironment([...profile.env, ...listStoreVariables(ctx)]),
        ...env,
        CLEO_ROOT: ctx.project.root,
        CLEO_RUN_ID: runId,
        CLEO_EXECUTION_ID: executionId,
        CLEO_WORK_RUN: process.workId,
      },
      stdin: command.stdin,
      timeoutMs: profile.timeoutMinutes * 60_000,
      killGraceMs,
      environmentMark: `CLEO_EXECUTION_ID=${executionId}`,
      inheritedHandle: scratch.folder,
      logs: { stdout: join(logs, 'stdout.log'), stderr: join(logs, 'stderr.log') },
      redactor: run.redactor,
      signal: start.signal,
      onOutput: output.write,
    };
    result = await runner.runSkill(spec);
    const { signal, bytes } = result;
    if (!result.cancelled && isInterruptedStart({ signal, outputBytes: bytes.stdout + bytes.stderr })) result = await runner.runSkill(spec);
  } finally {
    scratch.takeResult();
  }
  const stream = output.end();
  saveItem(work, item);
  if (result.leaked > 0) run.warnings.push({ code: 'leaked_process', message: formatKilledProcesses(result.leaked) });
  if (result.isTruncated) run.warnings.push({ code: 'truncated_output', message: 'the output is longer than the limit and was truncated' });
  const { inputTokens, outputTokens, costUsd } = stream.usage;
  run.emit(
    'attempt_completed',
    {
      exit_code: result.exitCode,
      class: result.timedOut ? 'timeout' : result.exitCode === 0 ? 'success' : 'soft',
      duration_ms: result.durationMs,
      bytes: result.bytes,
      usage: { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd },
      ...defined({ problem: result.problem }),
    },
    subject,
  );
  return { result, stream };
}

/** Turns the redacted output of an agent into events of the trace. */
function followOutput(work: WorkRun, run: RunContext, item: WorkItem, profile: Profile, subject: Parameters<RunContext['emit']>[2]) {
  let stream = startStream;
  let rest = '';
  let events = 0;
  let timer: NodeJS.Timeout | undefined;
  const before = item.usage;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  const show = (): void => {
    timer = undefined;
    shownAtMs = work.runner.monotonicMs();
    saveItem(work, item);
    report(work, 'work_event', item.taskId, { text: item.lastLine });
  };
  // A flood must not cost a write for each line.
  const showSoon = (): void => {
    timer ??= setTimeout(show, Math.max(0, shownAtMs + showEveryMs - work.runner.monotonicMs()));
  };
  const handle = (event: AgentEvent): void => {
    stream = stepStream(stream, event);
    if (event.type === 'usage') {
      item.usage = addUsage(before, stream.usage);
      showSoon();
      return;
    }
    const text = event.type === 'tool' ? `${event.name} ${event.detail}`.trim() : event.text;
    const line = (text.trim().split('\n').at(-1) ?? '').slice(0, 200);
    if (line !== '') item.lastLine = line;
    showSoon();
    events += 1;
    if (events > maxEvents) return;
    const note = event.type === 'message' ? stream.lastMessage.slice(-2000) : text.slice(0, 2000);
    run.emit(
      'execution_progress',
      { kind: 'note', note, source: event.type, ...(event.type === 'tool' ? { tool: event.name } : {}) },
      subject,
    );
  };
  const readLine = (line: string): void => {
    for (const event of parseAgentLine(profile.output, line)) handle(event);
  };
  return {
    write(name: 'stdout' | 'stderr', text: string): void {
      if (name === 'stderr') return;
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-maxLineLength);
      for (const line of lines) if (line.length <= maxLineLength) readLine(line);
    },
    end(): StreamState {
      if (rest !== '') readLine(rest);
      clearTimeout(timer);
      return stream;
    },
  };
}
