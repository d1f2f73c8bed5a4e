import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { parseJson } from '#lib/parse-json.ts';
import { redactText } from '#lib/redact.ts';
import type { Platform } from '#platform/port.ts';
import { findSecretField } from '../../rules/secret-field.ts';
import type { PlanChanges } from './plan-changes.ts';

/** Stages the plan files and the recorded grades, and rejects the commit if one that it changes contains a secret: git keeps it for ever.
 *  Returns the number of files if nothing else was staged: git has then decided already that there is nothing to commit. */
export async function stagePlanFiles(platform: Platform, { top, names }: PlanChanges): Promise<number> {
  const git = await platform.loadGit();
  const published: string[] = [];
  for (const name of names) if (!(await git.isIgnored(top, name.endsWith('.jsonl') ? name : `${name}/tasks`))) published.push(name);
  if (published.length === 0) return 0;
  const hadOthers = (await git.listStaged(top, ['.'])).length > 0;
  await git.stage(top, published);
  const staged = await git.listStaged(top, published);
  for (const file of staged) checkNoSecret(file, platform.files.readText(join(top, file)) ?? '');
  return hadOthers ? 0 : staged.length;
}

/** The file was just staged; asking git for the content would start a process for each. */
function checkNoSecret(file: string, text: string): void {
  const record = file.endsWith('.json') ? parseJson(text) : undefined;
  const found = record === undefined ? (redactText(text) === text ? undefined : { field: 'content' }) : findSecretField(record);
  if (!found) return;
  const id = 'id' in found ? found.id : undefined;
  throw new CleoError('E_VALIDATION', {
    field: 'plan',
    problem: `${file}: ${found.field} contains a secret, and git would keep it for ever`,
    fix: id ? `cleo show ${id}` : 'cleo config get sync.include',
    manual: `Remove the secret from ${found.field}${id ? ` of ${id}` : ''}, then commit again`,
  });
}
