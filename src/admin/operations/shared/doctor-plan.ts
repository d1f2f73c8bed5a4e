import { join } from 'node:path';
import type { QueryContext } from '#core/define.ts';
import type { Config } from '#core/model/config.ts';
import { pluralize } from '#lib/noun.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { CheckResult } from './doctor-checks.ts';

type PlanContext = Pick<QueryContext, 'platform' | 'project' | 'now'> & { config: Config; store: ReadStore };

const maxFindings = 5;

/** Checks the plan files of the checkout, if there are any. */
export async function checkPlanFiles(ctx: PlanContext): Promise<CheckResult> {
  const { platform, project, config } = ctx;
  const tree = await platform.findWorkingTree(project);
  if (!platform.files.isFolder(join(tree.folder, '.cleo', 'plan')) || config['sync.mode'] === 'off') return { findings: [] };
  const { inspectPlan } = await import('#transfer/operations/shared/plan-check.ts');
  const { files, unreadable, outOfStep, reformatted, broken } = await inspectPlan(ctx);
  const findings: CheckResult['findings'] = unreadable.slice(0, maxFindings).map(({ file, line, kind, message }) => ({
    severity: 'error' as const,
    message: `${file}, line ${line}: ${message}`,
    fix: { 'conflict-markers': 'cleo sync --resolve', broken: `git log -3 -- ${file}`, 'newer-version': 'cleo version' }[kind],
  }));
  const pending = [...outOfStep, ...reformatted];
  if (pending.length > 0)
    findings.push({
      severity: 'warning',
      message: `${pluralize(pending.length, 'plan file')} not in step with the store, first ${pending[0]}`,
      fix: 'cleo sync',
    });
  for (const { id, message } of broken.slice(0, maxFindings)) findings.push({ severity: 'warning', message, fix: `cleo deps ${id}` });
  return { detail: pluralize(files, 'file'), findings };
}
