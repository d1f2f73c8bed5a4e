/** What Claude Code hands to the command of its status line, as far as it concerns us. */
export interface StatusInput {
  context_window?: {
    context_window_size?: unknown;
    used_percentage?: unknown;
    current_usage?: { input_tokens?: unknown; cache_creation_input_tokens?: unknown; cache_read_input_tokens?: unknown } | null;
  };
}

/** Tokens in the window: what the last request read, new or from the cache; else its share of the whole. */
export function usageIn(input: StatusInput | undefined): { used: number; max: number } | undefined {
  const window = input?.context_window;
  const max = tokens(window?.context_window_size);
  if (!max) return undefined;
  const usage = window?.current_usage;
  if (usage) {
    const used = tokens(usage.input_tokens) + tokens(usage.cache_creation_input_tokens) + tokens(usage.cache_read_input_tokens);
    if (used > 0) return { used, max };
  }
  const share = window?.used_percentage;
  return typeof share === 'number' && share >= 0 ? { used: Math.round((Math.min(share, 1000) / 100) * max), max } : undefined;
}

const tokens = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 && value <= 2_147_483_647 ? Math.round(value) : 0;

export interface StatusParts {
  session?: { name?: string | undefined; scope: string } | undefined;
  focus?: { id: string; title: string } | undefined;
  context: { state: string; percent?: number | undefined };
}

/** One line: the focus, the session, the window. */
export function statusLine({ session, focus, context }: StatusParts): string {
  const parts = [
    focus ? `${focus.id} ${focus.title.length > 40 ? `${focus.title.slice(0, 39)}…` : focus.title}` : 'no focus',
    ...(session ? [session.name ?? session.scope] : []),
    context.percent === undefined ? 'context ?' : `context ${context.percent}%${context.state === 'ok' ? '' : ` ${context.state}`}`,
  ];
  return parts.join(' | ');
}
