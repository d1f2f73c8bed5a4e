import type { JobContext } from '#core/define.ts';
import { createRedactor, listSecretValues, type Redactor } from '#lib/redactor.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { RunSetup } from '../../runner/run-context.ts';
import { readRunRecord } from '../../runner/stored-runs.ts';
import { readConstructManifest } from './run-request.ts';

/** Redacts the notes of reviewers: secret shapes, secret environment variables, and the patterns of the run's construct, if its manifest
 *  can still be read. */
export async function createReviewRedactor(ctx: JobContext, runner: RunnerPlatform, runId: string): Promise<Redactor> {
  const redaction = await readRedaction(ctx, readRunRecord(runner, runId)?.construct?.file);
  return createRedactor({
    secrets: listSecretValues(runner.env, {}, runner.isPlainVariable),
    patterns: redaction.patterns,
    allow: redaction.allow,
    mac: runner.hmac,
  });
}

async function readRedaction(ctx: JobContext, file: string | undefined): Promise<{ patterns: RunSetup['patterns']; allow: string[] }> {
  try {
    const { construct } = file ? await readConstructManifest(ctx, file) : {};
    const { patterns = [], allow = [] } = construct?.redaction ?? {};
    return { patterns: patterns.length > 0 ? (await import('./redaction-patterns.ts')).compilePatterns(patterns) : [], allow };
  } catch {
    // The manifest was removed or is invalid. Secret shapes are redacted without it.
  }
  return { patterns: [], allow: [] };
}
