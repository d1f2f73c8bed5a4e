import { join, relative } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { parseJson } from '#lib/parse-json.ts';
import { redactText } from '#lib/redact.ts';
import type { Platform, Project } from '#platform/port.ts';
import { findSecretField } from '../../rules/secret-field.ts';

/** Stages the plan files, and rejects the commit if one that it changes contains a secret: git keeps it for ever. Returns the number of
 *  plan files if nothing else was staged: git has then decided already that there is nothing to commit. */
export async function stagePlanFiles(platform: Platform, project: Project): Promise<number> {
  const tree = await platform.findWorkingTree(project);
  const folder = join(tree.folder, '.cleo', 'plan');
  if (!platform.files.isFolder(folder)) return 0;
  const git = await platform.loadGit();
  const name = relative(tree.top, folder).replaceAll('\\', '/');
  if (await git.isIgnored(tree.top, join(folder, 'tasks'))) return 0;
  const hadOthers = (await git.listStaged(tree.top, '.')).length > 0;
  await git.stageFolder(tree.top, name);
  const staged = await git.listStaged(tree.top, name);
  for (const file of staged) {
    // The file was just staged; asking git for the content would start a process for each.
    const text = platform.files.readText(join(tree.top, file)) ?? '';
    const record = file.endsWith('.json') ? parseJson(text) : undefined;
    const found = record === undefined ? (redactText(text) === text ? undefined : { field: 'content' }) : findSecretField(record);
    if (found)
      throw new CleoError('E_VALIDATION', {
        field: 'plan',
        problem: `${file}: ${found.field} contains a secret, and git would keep it for ever`,
        fix: found.id ? `cleo show ${found.id}` : 'cleo config get sync.include',
        manual: `Remove the secret from ${found.field}${found.id ? ` of ${found.id}` : ''}, then commit again`,
      });
  }
  return hadOthers ? 0 : staged.length;
}
