import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the files of a sample by their path in its folder. */
export function readSample(tool: string): { name: string; text: string }[] {
  const folder = join(import.meta.dirname, tool);
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const names = found.map((one) =>
    join(one.parentPath ?? one.path, one.name)
      .slice(folder.length + 1)
      .replaceAll('\\', '/'),
  );
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}
