import type { HintTopic, ProjectContext, Testing } from '#detect/model/project-context.ts';
import { span } from './tokens-resolve.ts';

const told: HintTopic[] = ['build', 'lint', 'typecheck', 'format'];
const most = 4;

/** How a project is worked on, for a prompt: a line that goes on from the one before, empty where nothing is known. What stands in the
 *  file is anybody's, so it is code in a line and nothing more. */
export function projectLine(context: ProjectContext | undefined): string {
  if (!context) return '';
  const { testing, parts, llmHints } = context;
  const others = parts
    .flatMap((part) => part.testing ?? [])
    .filter((each) => each.command !== testing?.command || each.folder !== testing.folder);
  const tests = [...(testing ? [testing] : []), ...(context.type === 'mixed' ? others : [])].slice(0, most);
  const facts = [
    ...(tests.length > 0 ? [`tests ${tests.map(test).join(', ')}`] : []),
    ...told.flatMap((about) =>
      llmHints
        .filter((hint) => hint.about === about)
        .slice(0, 1)
        .map(({ text }) => `${about} ${span(text)}`),
    ),
  ];
  return facts.length > 0 ? `\n- It is worked on with: ${facts.join('; ')}.` : '';
}

const test = ({ framework, command, folder }: Testing): string =>
  `${span(command)}${folder ? ` in ${span(folder)}` : ''}${framework && !command.includes(framework) ? ` (${span(framework)})` : ''}`;
