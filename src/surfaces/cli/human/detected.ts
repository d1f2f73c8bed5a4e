import type { Fields } from './cell.ts';
import { facts } from './record.ts';
import type { Screen } from './screen.ts';

interface Testing {
  framework?: string;
  command: string;
  folder?: string;
}
interface Detected extends Fields {
  type: string;
  languages: { name: string }[];
  packageManager?: { name: string };
  testing?: Testing;
  parts: { type: string; testing?: Testing }[];
  monorepo?: { tools: { name: string }[]; packages: { folder: string; name?: string }[]; more?: number };
  llmHints: { about: string; text: string }[];
}

const listed = 8;

/** What a project was found to be, in two columns; where each thing was found is for `--json` and for the file. */
export function detected(value: unknown, screen: Screen): string[] {
  const { type, languages, packageManager, testing, parts, monorepo, llmHints } = value as Detected;
  const others = type === 'mixed' ? parts.flatMap((part) => part.testing ?? []).filter(({ command }) => command !== testing?.command) : [];
  const tests = [...(testing ? [testing] : []), ...others].map(
    ({ command, framework, folder }) =>
      `${command}${folder ? ` in ${folder}` : ''}${framework && !command.includes(framework) ? ` (${framework})` : ''}`,
  );
  const packages = (monorepo?.packages ?? []).map(({ folder, name }) => name ?? folder);
  const more = packages.length - listed + (monorepo?.more ?? 0);
  const hints: Record<string, string> = {};
  for (const { about, text } of llmHints) hints[about] = hints[about] ? `${hints[about]}, ${text}` : text;
  return facts(
    {
      type,
      languages: languages.map(({ name }) => name).join(', '),
      ...(packageManager ? { packageManager: packageManager.name } : {}),
      ...(tests.length > 0 ? { testedBy: tests.join(', ') } : {}),
      ...(monorepo
        ? {
            monorepo: monorepo.tools.map(({ name }) => name).join(', '),
            packages: [...packages.slice(0, listed), ...(more > 0 ? [`${more} more`] : [])].join(', '),
          }
        : {}),
      ...hints,
    },
    screen,
  );
}
