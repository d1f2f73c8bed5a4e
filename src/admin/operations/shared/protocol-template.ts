import { join } from 'node:path';
import type { Registry } from '#core/define.ts';
import type { Platform } from '#platform/port.ts';
import { renderProtocol } from '#research/rules/protocol-text.ts';

/** Writes the full protocol text to the user's templates, where agents look for it. A failure is only a warning. */
export async function updateProtocolTemplate({ files, home }: Platform, { entries }: Registry): Promise<string[]> {
  const { protocolText } = await import('#orchestration/protocol.generated.ts');
  const folder = join(home, 'templates');
  const path = join(folder, 'CLEO-INJECTION.md');
  const text = renderProtocol(protocolText, 'orchestrator', entries);
  try {
    if (files.readText(path) === text) return [];
    files.createFolder(folder, true);
    files.writeAtomic(path, text, true);
    return [];
  } catch (error) {
    return [`The protocol text was not written: ${(error as Error).message}`];
  }
}
