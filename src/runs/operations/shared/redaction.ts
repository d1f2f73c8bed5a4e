import type { JobContext } from '#core/define.ts';
import { isSecretVariable, redactorOf } from '#lib/redactor.ts';
import type { Redactor } from '#lib/redactor-port.ts';
import type { Ground } from '#platform/ground-port.ts';
import { recordOf } from '../../runner/kept-runs.ts';
import type { Surroundings } from '../../runner/run.ts';
import { manifestOf } from './manifest.ts';

/** What hides secrets in what a reviewer writes: by their shapes, by the values around this process, and by what the construct of the
 *  run wants hidden, where it can still be read. */
export async function redactorFor(ctx: JobContext, ground: Ground, runId: string): Promise<Redactor> {
  const secrets = Object.entries(ground.variables).flatMap(([name, value]) => (value && isSecretVariable(name) ? [value] : []));
  const redaction = await redactionOf(ctx, recordOf(ground, runId)?.construct?.file);
  return redactorOf({ secrets, patterns: redaction.patterns, allow: redaction.allow, mac: ground.mac });
}

async function redactionOf(ctx: JobContext, file: string | undefined): Promise<{ patterns: Surroundings['patterns']; allow: string[] }> {
  try {
    const { construct } = file ? await manifestOf(ctx, file) : {};
    const { patterns = [], allow = [] } = construct?.redaction ?? {};
    return { patterns: patterns.length > 0 ? (await import('./patterns.ts')).patternsOf(patterns) : [], allow };
  } catch {
    // The construct is gone, or no longer one: the shapes of secrets hold without it.
  }
  return { patterns: [], allow: [] };
}
