import { join, relative } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { parseJson } from '#lib/parse-json.ts';
import { redactText } from '#lib/redact.ts';
import type { Platform, Project } from '#platform/port.ts';
import { findSecretField } from '../../rules/secret-field.ts';

/** Stages the plan files, and rejects the commit if one that it changes contains a secret: git keeps it for ever. */
export async function checkStagedSecrets(platform: Platform, project: Project): Promise<void> {
  const tree = await platform.findWorkingTree(project);
  const folder = join(tree.folder, '.cleo', 'plan');
  if (!platform.files.isFolder(folder)) return;
  const git = await platform.loadGit();
  const name = relative(tree.top, folder).replaceAll('\\', '/');
  if (await git.isIgnored(tree.top, join(folder, 'tasks'))) return;
  await git.stageFolder(tree.top, name);
  for (const file of await git.listStaged(tree.top, name)) {
    const text = (await git.readStaged(tree.top, file)) ?? '';
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
}
