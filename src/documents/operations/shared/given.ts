import { check, description, maxLength, metadata, optional, picklist, pipe, string } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath, isStorable } from '#core/model/scalars.ts';
import { type DocContent, docEncodings, largestDoc, textOrBase64 } from '../../model/doc.ts';

/** What a document holds: a file of the project, or the content itself. */
export const givenParams = {
  file: optional(
    pipe(FilePath, description('A file of the project, by its path from there; - reads standard input'), metadata({ value: 'FILE|-' })),
  ),
  content: optional(
    pipe(
      string(),
      maxLength(Math.ceil(largestDoc / 3) * 4, `must have at most ${largestDoc >> 20} MiB`),
      check(isStorable, 'must not contain NUL or lone surrogates; with encoding base64 anything goes'),
      description('The content itself, instead of a file'),
    ),
  ),
  encoding: optional(pipe(picklist(docEncodings), description('How content is written: utf8 (default), or base64 for what is no text'))),
};

/** Standard input comes in as content. */
export const givenPipe = { dash: 'file', fills: 'content' };

export interface Given extends DocContent {
  /** The file it comes from, as the project sees it. */
  path?: string;
  bytes: Buffer;
}

interface Asked {
  file?: string | undefined;
  content?: string | undefined;
  encoding?: (typeof docEncodings)[number] | undefined;
}

/** What was given; undefined where nothing was. */
export async function givenIn(ctx: MutationContext, help: string, { file, content, encoding }: Asked): Promise<Given | undefined> {
  const refuse = (problem: string): CleoError => new CleoError('E_INVALID_INPUT', { problem, fix: help });
  if (file !== undefined && content !== undefined) throw refuse('Give a file or its content, not both');
  if (file === '-') throw refuse('- stands for standard input on a command line; elsewhere give the content');
  if (encoding !== undefined && content === undefined) throw refuse('encoding says how content is written, and none is given');
  if (file !== undefined) {
    const { name, bytes } = await readFile(ctx, help, file);
    return { ...kept(ctx, bytes), path: name };
  }
  return content === undefined ? undefined : kept(ctx, decoded(help, content, encoding));
}

function decoded(help: string, content: string, encoding: string | undefined): Buffer {
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  const refuse = (problem: string): CleoError => new CleoError('E_VALIDATION', { field: 'content', problem, fix: help });
  if (encoding === 'base64' && bytes.toString('base64').replace(/=+$/, '') !== content.replace(/=+$/, '')) throw refuse('is not base64');
  if (bytes.length > largestDoc) throw refuse(`must have at most ${largestDoc >> 20} MiB`);
  return bytes;
}

/** Whoever comes with a token comes from elsewhere: what lies in the project is not theirs to read. */
async function readFile(ctx: MutationContext, help: string, path: string) {
  const { platform, project, token } = ctx;
  if (token && token.scope !== 'admin')
    throw new CleoError('E_FORBIDDEN', {
      problem: 'Reading a file of the project needs a token of scope admin; send the content instead',
      fix: 'cleo token create --name client-admin --scope admin',
    });
  const { readDocument } = await import('#platform/document.ts');
  const tree = await platform.workingTree(project);
  const fix = (right?: string): string => (right === undefined ? help : again(ctx, { file: right }, help));
  return readDocument({ project, tree, stands: platform.folder, path, fix });
}

const kept = ({ platform }: MutationContext, bytes: Buffer): Given => ({
  ...textOrBase64(bytes),
  digest: platform.sha256(bytes),
  size: bytes.length,
  bytes,
});

/** The same call with something else, where that is a line to be copied. */
export function again(ctx: Pick<MutationContext, 'commandWith'>, params: Record<string, unknown>, help: string): string {
  const command = ctx.commandWith(params);
  return command.length <= 1000 && !/[\0-\x1f]/.test(command) ? command : help;
}
