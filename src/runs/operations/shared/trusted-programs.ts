import type { JobContext } from '#core/define.ts';
import { requireTrusted } from '#core/require-trusted.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { Construct } from '../../model/construct.ts';
import { hasCommands } from '../../rules/construct/commands.ts';

type ProgramFile = { path: string; sha256: string };

/** Lists the files that decide what a run executes: the construct, if it names commands, and the folders of skills with a program.
 *  `source` is the manifest that the construct was taken from. */
export async function listRunPrograms(
  runner: RunnerPlatform,
  construct: Construct,
  source: Pick<Construct, 'file' | 'sha256'> | undefined = construct,
): Promise<ProgramFile[]> {
  const names = new Set(construct.phases.flatMap(({ skills }) => skills));
  const used = construct.skills.filter(({ name }) => names.size === 0 || names.has(name));
  const found = await Promise.all(used.map(async ({ name, path, run }) => ({ run, skill: await runner.findSkill(name, path) })));
  return [
    ...(source && hasCommands(construct) ? [{ path: source.file, sha256: source.sha256 }] : []),
    ...found.flatMap(({ run, skill: { folder, command, sha256 } }) =>
      folder !== undefined && (command || run) ? [{ path: folder, sha256 }] : [],
    ),
  ];
}

/** Throws E_PROJECT_UNTRUSTED unless the user has trusted everything that the run would execute. */
export async function requireTrustedRun(
  ctx: Pick<JobContext, 'platform' | 'project'>,
  runner: RunnerPlatform,
  construct: Construct,
  source?: Pick<Construct, 'file' | 'sha256'>,
): Promise<void> {
  await requireTrusted(ctx, { files: await listRunPrograms(runner, construct, source) });
}
