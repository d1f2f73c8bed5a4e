import { kindOfKey } from '#lib/secret-names.ts';
import { primaryOf } from '../rules/primary.ts';
import type { Run } from './run-state.ts';

/** What may be kept of the inputs: nothing but their number, keyed hashes, or what is not secret of them. */
export function captured(run: Run, inputs: unknown): unknown {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.inputs === 'none') return { fields: countOf(inputs) };
  if (capture.inputs === 'full') return inputs;
  return hashed(run, inputs);
}

function hashed(run: Run, inputs: unknown): unknown {
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) return summary(run, inputs);
  // Names are kept, unless they are secrets themselves. Of what is called a secret not even the length is told.
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      run.redactor.text(name),
      kindOfKey(name) === undefined ? summary(run, value) : (run.redactor.value({ secret: written(value) }) as { secret: string }).secret,
    ]),
  );
}

const written = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));

function summary({ ground }: Run, value: unknown): { hash: string; type: string; length: number } {
  const text = written(value);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { hash: `hmac-sha256:${ground.mac(text)}`, type, length: text.length };
}

const countOf = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0);

/** What may be kept of what a skill printed, whatever came of it. */
export function capturedOutput(run: Run, stdout: Uint8Array): Record<string, unknown> {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.outputs === 'none') return {};
  const primary = primaryOf(stdout) ?? '';
  const isObject = typeof primary === 'object' && primary !== null && !Array.isArray(primary);
  const about = {
    bytes: stdout.length,
    lines: lineCount(stdout),
    sha256: run.ground.hash(stdout),
    content_type: typeof primary === 'string' ? 'text/plain' : 'application/json',
    // Not called keys: what is called so is hidden.
    ...(isObject ? { fields: Object.keys(primary).slice(0, mostFields) } : {}),
  };
  return capture.outputs === 'full' ? { ...about, content: primary } : about;
}

const mostFields = 200;

const lineCount = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
