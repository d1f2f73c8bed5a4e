/** The fields we use of the JSON that Claude Code passes to a status line command. */
interface StatusLineInput {
  context_window?: {
    context_window_size?: unknown;
    used_percentage?: unknown;
    current_usage?: { input_tokens?: unknown; cache_creation_input_tokens?: unknown; cache_read_input_tokens?: unknown } | null;
  };
}

/** Reads the tokens in use: the input tokens of the last request, cached ones included; without them, the used percentage. */
export function readContextUsage(input: StatusLineInput | undefined): { used: number; max: number } | undefined {
  const window = input?.context_window;
  const max = toTokenCount(window?.context_window_size);
  if (!max) return undefined;
  const usage = window?.current_usage;
  if (usage) {
    const used =
      toTokenCount(usage.input_tokens) + toTokenCount(usage.cache_creation_input_tokens) + toTokenCount(usage.cache_read_input_tokens);
    if (used > 0) return { used, max };
  }
  const share = window?.used_percentage;
  return typeof share === 'number' && share >= 0 ? { used: Math.round((Math.min(share, 1000) / 100) * max), max } : undefined;
}

const toTokenCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 && value <= 2_147_483_647 ? Math.round(value) : 0;

interface StatusLineParts {
  session?: { name?: string | undefined; scope: string } | undefined;
  focus?: { id: string; title: string } | undefined;
  context: { state: string; percent?: number | undefined };
}

export function formatStatusLine({ session, focus, context }: StatusLineParts): string {
  const parts = [
    focus ? `${focus.id} ${focus.title.length > 40 ? `${focus.title.slice(0, 39)}…` : focus.title}` : 'no focus',
    ...(session ? [session.name ?? session.scope] : []),
    context.percent === undefined ? 'context ?' : `context ${context.percent}%${context.state === 'ok' ? '' : ` ${context.state}`}`,
  ];
  return parts.join(' | ');
}
