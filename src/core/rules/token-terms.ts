import { commandLine } from '../errors/catalog.ts';
import type { Token } from '../model/token.ts';

/** The time that a token is valid for, unless its creator says otherwise. */
export const defaultTokenDays = 90;

const unitMs: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Converts `90d`, `12h` or `2w` to the time that long after `now`, a date to the end of that day, and `never` to undefined. */
export function toExpiry(now: string, text = `${defaultTokenDays}d`): string | undefined {
  if (text === 'never') return undefined;
  const [, count, unit = ''] = /^(\d+)([hdw])$/.exec(text) ?? [];
  return new Date(count ? Date.parse(now) + Number(count) * unitMs[unit]! : Date.parse(`${text}T24:00:00.000Z`)).toISOString();
}

/** Formats the command that creates the successor of a token. It acts under the same name, so that the work stays that of its owner. */
export function formatTokenRenewal({ name, scope, agent, owner, ownerKind }: Token): string {
  const [, base = name, count = '1'] = /^(.*?)(?:-(\d{1,4}))?$/.exec(name) ?? [];
  return commandLine([
    ...['cleo', 'token', 'create', '--name', `${base}-${Number(count) + 1}`, '--scope', scope, '--acts-as', agent ?? name],
    ...(owner ? [`--${ownerKind ?? 'person'}`, owner] : []),
  ]);
}
