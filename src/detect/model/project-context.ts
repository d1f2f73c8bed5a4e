import { array, description, type InferOutput, maxLength, number, optional, picklist, pipe, regex, strictObject, string } from 'valibot';

const projectTypes = ['node', 'python', 'rust', 'go', 'java', 'dotnet', 'ruby', 'php'] as const;
export type ProjectType = (typeof projectTypes)[number];

const hintTopics = [
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

/** These values go into prompts and onto terminals, so control characters are not allowed. */
const Line = pipe(string(), regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/));
const Text = pipe(Line, maxLength(500));
const Command = pipe(Line, maxLength(4000));
const From = pipe(Text, description('The file or folder it was detected from, relative to the project root'));
const Folder = pipe(Text, description('Folder relative to the project root; default: the root'));
const SourcedName = strictObject({ name: Text, from: From });

const Testing = strictObject({
  framework: optional(Text),
  command: pipe(Command, description('Runs all tests once; does not need a shell')),
  folder: optional(Folder),
  from: From,
});

const Part = strictObject({
  type: picklist(projectTypes),
  folder: optional(Folder),
  from: From,
  packageManager: optional(SourcedName),
  testing: optional(Testing),
});

/** The contents of `.cleo/project-context.json`. It contains nothing specific to a machine or a time, so that it can be committed and
 *  changes only with the project. */
export const ProjectContextSchema = strictObject({
  type: pipe(
    picklist([...projectTypes, 'mixed', 'unknown']),
    description('Ecosystem; mixed if two or more have a large share of the files'),
  ),
  languages: pipe(array(SourcedName), description('Languages, most used first, each with the folder that contains most of its files')),
  packageManager: optional(SourcedName),
  testing: optional(pipe(Testing, description('Test command of the whole project'))),
  parts: pipe(array(Part), description('Parts of the project, largest first')),
  monorepo: optional(
    strictObject({
      tools: array(SourcedName),
      packages: array(strictObject({ folder: Text, name: optional(Text) })),
      more: optional(pipe(number(), description('Number of packages not listed'))),
    }),
  ),
  llmHints: pipe(array(strictObject({ about: picklist(hintTopics), text: Text, from: From })), description('Short facts for agents')),
});
export type ProjectContext = InferOutput<typeof ProjectContextSchema>;
export type ProjectPart = ProjectContext['parts'][number];
export type Testing = NonNullable<ProjectContext['testing']>;
export type Hint = ProjectContext['llmHints'][number];
export type SourcedName = { name: string; from: string };

/** Relative to the project root. */
export const projectContextFile = '.cleo/project-context.json';
