import { classifyName } from '#lib/secret-names.ts';
import { parsePrimary } from '../rules/primary-output.ts';
import type { RunContext } from './run-context.ts';

/** The form of inputs in traces and files: their number, keyed hashes, or the values, which are redacted when written. */
export function captureInputs(run: RunContext, inputs: Record<string, unknown>): unknown {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.inputs === 'none') return { fields: Object.keys(inputs).length };
  if (capture.inputs === 'full') return inputs;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [run.redactor.text(name), hashInput(run, name, value)]));
}

/** Hash, type and length of a value. A value with a secret-like name is redacted as a whole, because even its length is telling. */
function hashInput({ platform, redactor }: RunContext, name: string, value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (classifyName(name) !== undefined) return (redactor.value({ secret: text }) as { secret: string }).secret;
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { hash: `hmac-sha256:${platform.hmac(text)}`, type, length: text.length };
}

const maxFields = 200;

/** The form of a skill's stdout in the trace. */
export function captureOutput(run: RunContext, stdout: Uint8Array): Record<string, unknown> {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.outputs === 'none') return {};
  const primary = parsePrimary(stdout) ?? '';
  const isObject = typeof primary === 'object' && !Array.isArray(primary);
  const summary = {
    bytes: stdout.length,
    lines: countLines(stdout),
    sha256: run.platform.hash(stdout),
    content_type: typeof primary === 'string' ? 'text/plain' : 'application/json',
    // Not named `keys`: the redactor hides values of keys with that word.
    ...(isObject ? { fields: Object.keys(primary).slice(0, maxFields) } : {}),
  };
  return capture.outputs === 'full' ? { ...summary, content: primary } : summary;
}

const countLines = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
