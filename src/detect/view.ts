import { drawFields, type Screen, type View } from '#core/terminal/index.ts';
import { defined } from '#lib/collections.ts';
import type { ProjectContext } from './model/project-context.ts';

export const detectView: View = { forms: { detected: drawDetected } };

const maxPackages = 8;

/** Draws the detected properties of a project in two columns; `--json` and the file also say where each was found. */
function drawDetected({ type, languages, packageManager, testing, parts, monorepo, llmHints }: ProjectContext, screen: Screen): string[] {
  const others = type === 'mixed' ? parts.flatMap((part) => part.testing ?? []).filter(({ command }) => command !== testing?.command) : [];
  const tests = [...(testing ? [testing] : []), ...others].map(
    ({ command, framework, folder }) =>
      `${command}${folder ? ` in ${folder}` : ''}${framework && !command.includes(framework) ? ` (${framework})` : ''}`,
  );
  const packages = (monorepo?.packages ?? []).map(({ folder, name }) => name ?? folder);
  const more = packages.length - maxPackages + (monorepo?.more ?? 0);
  const hints: Record<string, string> = {};
  for (const { about, text } of llmHints) hints[about] = hints[about] ? `${hints[about]}, ${text}` : text;
  return drawFields(
    {
      type,
      languages: languages.map(({ name }) => name).join(', '),
      ...defined({
        packageManager: packageManager?.name,
        testedBy: tests.length > 0 ? tests.join(', ') : undefined,
        monorepo: monorepo?.tools.map(({ name }) => name).join(', '),
        packages: monorepo && [...packages.slice(0, maxPackages), ...(more > 0 ? [`${more} more`] : [])].join(', '),
      }),
      ...hints,
    },
    screen,
  );
}
