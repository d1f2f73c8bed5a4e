const minutes: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 };

/** `30d`, `12h`, `90m`, `2w` before now, or the start of a day. */
export function agoFrom(now: string, text: string): string {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  if (!count || !unit) return `${text}T00:00:00.000Z`;
  return new Date(Date.parse(now) - Number(count) * (minutes[unit] ?? 0) * 60_000).toISOString();
}
