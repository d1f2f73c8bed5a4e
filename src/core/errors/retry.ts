/** Formats the same call with other parameters as a fix, or returns `help` if that line is too long to copy or has control characters. */
export function formatRetry(
  { commandWith }: { commandWith(params: Record<string, unknown>): string },
  params: Record<string, unknown>,
  help: string,
): string {
  const command = commandWith(params);
  return command.length <= 1000 && !/[\0-\x1f]/.test(command) ? command : help;
}
