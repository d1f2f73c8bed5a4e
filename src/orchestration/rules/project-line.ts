import type { HintTopic, ProjectContext, Testing } from '#detect/model/project-context.ts';
import { toCodeSpan } from './resolve-template.ts';

const shownTopics: HintTopic[] = ['build', 'lint', 'typecheck', 'format'];
const maxTestCommands = 4;

/** Formats the commands of a project (tests, build, lint) as one line of a prompt; empty if none are known. Every value is quoted as
 *  inline code, because it comes from a file that any contributor can edit. */
export function formatProjectLine(context: ProjectContext | undefined): string {
  if (!context) return '';
  const { testing, parts, llmHints } = context;
  const otherTesting = parts
    .flatMap((part) => part.testing ?? [])
    .filter((each) => each.command !== testing?.command || each.folder !== testing.folder);
  const shownTesting = [...(testing ? [testing] : []), ...(context.type === 'mixed' ? otherTesting : [])].slice(0, maxTestCommands);
  const facts = [
    ...(shownTesting.length > 0 ? [`tests ${shownTesting.map(formatTesting).join(', ')}`] : []),
    ...shownTopics.flatMap((topic) =>
      llmHints
        .filter((hint) => hint.about === topic)
        .slice(0, 1)
        .map(({ text }) => `${topic} ${toCodeSpan(text)}`),
    ),
  ];
  return facts.length > 0 ? `\n- Commands of the project: ${facts.join('; ')}.` : '';
}

const formatTesting = ({ framework, command, folder }: Testing): string =>
  `${toCodeSpan(command)}${folder ? ` in ${toCodeSpan(folder)}` : ''}${framework && !command.includes(framework) ? ` (${toCodeSpan(framework)})` : ''}`;
