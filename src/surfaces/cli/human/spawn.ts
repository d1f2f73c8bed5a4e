import { type Fields, isFields } from './cell.ts';
import { record } from './record.ts';
import type { Screen } from './screen.ts';
import { clean, oneLine, wrap } from './text.ts';

/** Prompts that were made: for whom, with what in them, and the text as it stands, to be copied. */
export function spawns(items: Fields[], screen: Screen): string[] {
  return items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...spawn(item, screen)]);
}

function spawn(fields: Fields, screen: Screen): string[] {
  const { taskId, agentId, skill, protocol, tier, prompt, promptTokens, promptFile, env } = fields;
  // With some fields only, there is no head to be made of them.
  if ([taskId, agentId, tier, promptTokens].includes(undefined)) return record(fields, screen);
  const about = [skill, protocol, `tier ${tier}`, `${promptTokens} tokens`, promptFile].filter((part) => part !== undefined);
  const variables = isFields(env) ? Object.entries(env).map(([name, value]) => `${name}=${value}`) : [];
  return [
    screen.paint('bold', oneLine(`${taskId} → ${agentId}`)),
    ...wrap(about.map((part) => oneLine(String(part))).join(' · '), screen.columns - 2).map((line) => `  ${screen.paint('dim', line)}`),
    // Never broken: it is there to be copied, as the prompt is.
    `  ${oneLine(variables.join(' '))}`,
    ...(typeof prompt === 'string' ? ['', ...prompt.split('\n').map((line) => clean(line).trimEnd())] : []),
  ];
}
