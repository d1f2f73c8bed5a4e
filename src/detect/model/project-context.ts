import { array, description, type InferOutput, maxLength, number, optional, picklist, pipe, regex, strictObject, string } from 'valibot';

export const projectTypes = ['node', 'python', 'rust', 'go', 'java', 'dotnet', 'ruby', 'php'] as const;
export type ProjectType = (typeof projectTypes)[number];

/** What a hint is about. */
export const hintTopics = [
  'install',
  'build',
  'lint',
  'typecheck',
  'format',
  'tests',
  'e2e',
  'source',
  'runtime',
  'commits',
  'changes',
  'read',
] as const;
export type HintTopic = (typeof hintTopics)[number];

/** It goes into prompts and onto terminals. */
const Line = pipe(string(), regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/));
const Text = pipe(Line, maxLength(500));
const Command = pipe(Line, maxLength(4000));
const From = pipe(Text, description('The file or folder that says so, from the root of the project'));
const Folder = pipe(Text, description('Where it holds, from the root of the project; without it the root'));
const Named = strictObject({ name: Text, from: From });

const Testing = strictObject({
  framework: optional(Text),
  command: pipe(Command, description('Runs all tests, once, as words without a shell')),
  folder: optional(Folder),
  from: From,
});

const Part = strictObject({
  type: picklist(projectTypes),
  folder: optional(Folder),
  from: From,
  packageManager: optional(Named),
  testing: optional(Testing),
});

/** `.cleo/project-context.json`: what can be told of a project from its files. Nothing in it is of one machine or of one moment, so
 *  that it can be committed and changes only when the project does. */
export const ProjectContext = strictObject({
  type: pipe(
    picklist([...projectTypes, 'mixed', 'unknown']),
    description('What it is built with; mixed where two or more have a good share of the files'),
  ),
  languages: pipe(array(Named), description('The languages of its files, the most used first, each with the folder that has the most')),
  packageManager: optional(Named),
  testing: optional(pipe(Testing, description('How the whole of it is tested'))),
  parts: pipe(array(Part), description('Each thing it is built of, the biggest first')),
  monorepo: optional(
    strictObject({
      tools: array(Named),
      packages: array(strictObject({ folder: Text, name: optional(Text) })),
      more: optional(pipe(number(), description('How many packages are not listed'))),
    }),
  ),
  llmHints: pipe(
    array(strictObject({ about: picklist(hintTopics), text: Text, from: From })),
    description('Short facts for an agent that works here'),
  ),
});
export type ProjectContext = InferOutput<typeof ProjectContext>;
export type ProjectPart = ProjectContext['parts'][number];
export type Testing = NonNullable<ProjectContext['testing']>;
export type Hint = ProjectContext['llmHints'][number];
export type Named = { name: string; from: string };

/** From the folder of the project. */
export const projectContextFile = '.cleo/project-context.json';
