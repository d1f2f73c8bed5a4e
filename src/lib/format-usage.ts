export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** Formats tokens and cost, as far as the client of an agent reports them: `1200 tokens, $0.04`. */
export function formatTokenUsage({ inputTokens, outputTokens, costUsd }: TokenUsage): string {
  const tokens = inputTokens + outputTokens;
  const parts = [
    tokens > 0 ? `${tokens < 10_000 ? tokens : `${Math.round(tokens / 1000)}k`} tokens` : '',
    costUsd > 0 ? `$${costUsd.toFixed(2)}` : '',
  ];
  return parts.filter(Boolean).join(', ');
}
