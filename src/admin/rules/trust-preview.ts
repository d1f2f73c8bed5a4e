import type { TrustChange } from '#core/model/trust.ts';
import { formatTrustValue } from '#core/rules/trust.ts';

/** Formats what a person is about to trust. Values are not shortened: the end of a command can be what matters. */
export function formatTrustPreview(root: string, changes: Omit<TrustChange, 'kind'>[], problems: string[]): string[] {
  const show = (value: unknown): string => formatTrustValue(value, Number.POSITIVE_INFINITY);
  return [
    `Trusting ${root} makes cleo obey:`,
    ...problems.map((problem) => `  ${problem}`),
    ...changes.map(({ name, value, before, state }) =>
      state === 'changed' ? `  ${name}: ${show(value)} (changed, was ${show(before)})` : `  ${name}: ${show(value)}`,
    ),
  ];
}
