// Measures the overhead of `cleo work` for a task in a repository of 2,000 files: claim, worktree, prompt, check and completion, with an
// agent that writes one file and commits it. A run does four tasks; the first one writes all files of its worktree.
// `node bench/work.mjs [dist]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv } from './measure.mjs';
import { recordTrust } from './stores.mjs';

const files = 2000;
const tasks = 4;
const agent = `echo done > "$CLEO_AGENT_ID.txt" && git add --all && git commit -qm work && echo "Implementation complete. See MANIFEST.jsonl for summary."`;
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' };

export async function measureWork(cleo, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-work-'));
  try {
    const env = { ...cleanEnv, CLEO_HOME: join(folder, 'home'), ...identity };
    const project = join(folder, 'project');
    const run = (program, words) => {
      const startedAt = process.hrtime.bigint();
      const { status, stdout, stderr } = spawnSync(program, words, { cwd: project, env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${words.join(' ')} exited with ${status}: ${stdout}${stderr}`);
      return { ms: Number(process.hrtime.bigint() - startedAt) / 1e6, stdout };
    };
    const call = (...words) => run(process.execPath, [cleo, ...words]);
    for (let n = 0; n < files; n++) {
      if (n % 100 === 0) mkdirSync(join(project, 'src', String(n / 100)), { recursive: true });
      writeFileSync(join(project, 'src', String(Math.floor(n / 100)), `${n}.ts`), `export const n = ${n};\n`);
    }
    run('git', ['init', '--quiet', '--initial-branch', 'main']);
    call('init');
    const config = join(project, '.cleo', 'config.json');
    const settings = { lifecycleEnforcement: { mode: 'off' }, hierarchy: { maxSiblings: 0 }, work: { profile: 'bench' } };
    const profiles = { bench: { argv: ['sh', '-c', agent], env: Object.keys(identity) } };
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), ...settings, profiles }));
    await recordTrust(project, env.CLEO_HOME);
    run('git', ['add', '--all']);
    run('git', ['commit', '--quiet', '-m', 'Project']);
    call('add', 'The plan', '--type', 'epic');
    const ratios = [];
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < tasks; n++) call('add', `Step ${round} ${n}`, '--parent', 'T001');
      const node = [1, 2, 3, 4, 5].map(() => run(process.execPath, ['-e', '0']).ms).sort((a, b) => a - b)[2];
      const { ms, stdout } = call('work', '--max-tasks', String(tasks), '--json');
      if (JSON.parse(stdout).work.tasks.some(({ outcome }) => outcome !== 'done')) throw new Error(stdout);
      ratios.push(ms / tasks / node);
    }
    ratios.sort((a, b) => a - b);
    return [['cleo work: overhead of a task, 2,000 files', ratios[Math.floor(ratios.length / 2)], 25, '×']];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of await measureWork(cleo, 7))
    process.stdout.write(`${what}: ${typeof figure === 'number' ? figure.toFixed(2) : figure} ${unit} (≤ ${limit})\n`);
}
