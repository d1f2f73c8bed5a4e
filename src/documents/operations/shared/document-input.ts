import { check, description, maxLength, metadata, object, optional, picklist, pipe, string } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatRetry } from '#core/errors/retry.ts';
import { isStorable } from '#core/model/storable.ts';
import { FilePath } from '#core/model/texts.ts';
import { type FactRequest, type ObserveContext, observation, requestFacts } from '#core/observation.ts';
import { isHostAllowed } from '#core/rules/token-scope.ts';
import { type DocContent, type DocEncoding, docEncodings, encodeDocBytes, maxDocBytes } from '../../model/doc.ts';

/** Parameters for the content of a document: a file of the project, or the content itself. */
export const docInputParams = {
  file: optional(
    pipe(FilePath, description('File, relative to the project folder; - reads standard input'), metadata({ value: 'FILE|-' })),
  ),
  content: optional(
    pipe(
      string(),
      maxLength(Math.ceil(maxDocBytes / 3) * 4, `must have at most ${maxDocBytes >> 20} MiB`),
      check(isStorable, 'must not contain NUL or lone surrogates; use encoding base64 for such content'),
      description('Content instead of a file'),
    ),
  ),
  encoding: optional(pipe(picklist(docEncodings), description('Encoding of content: utf8 (default), or base64 for binary data'))),
};

/** `-` as the file reads standard input into `content`. */
export const docInputStdin = { dash: 'file', fills: 'content' };

export interface DocInput extends DocContent {
  /** Source file, relative to the project folder. */
  path?: string;
  bytes: Buffer;
}

interface DocInputParams {
  file?: string | undefined;
  content?: string | undefined;
  encoding?: DocEncoding | undefined;
}

/** The content of a file that the caller names. `help` is the command of the operation, for errors. */
const documentFile = observation({
  name: 'checkout.document',
  isByCaller: true,
  request: object({ file: string(), help: string() }),
  facts: object({ path: string(), encoding: picklist(docEncodings), content: string() }),
  async observe(ctx, { file, help }) {
    const { name, bytes } = await readProjectFile(ctx, help, file);
    return { path: name, ...encodeDocBytes(bytes) };
  },
});

/** The definition of an operation that takes a document: the body of its request may be as long as one. */
export const observesDocument = (help: string) => ({
  observes: [documentFile],
  observeFirst: ({ file, content, encoding }: DocInputParams): FactRequest[] =>
    file === undefined || findInputProblem({ file, content, encoding }) ? [] : [requestFacts(documentFile, { file, help })],
  maxBodyBytes: maxDocBytes * 2,
});

function findInputProblem({ file, content, encoding }: DocInputParams): string | undefined {
  if (file !== undefined && content !== undefined) return 'Pass a file or its content, not both';
  if (file === '-') return '- means standard input and works only on the command line; pass content instead';
  return encoding !== undefined && content === undefined ? 'encoding requires content' : undefined;
}

/** Reads the content from the parameters, if any. */
export async function readDocInput(
  ctx: MutationContext,
  help: string,
  { file, content, encoding }: DocInputParams,
): Promise<DocInput | undefined> {
  const problem = findInputProblem({ file, content, encoding });
  if (problem) throw new CleoError('E_INVALID_INPUT', { problem, fix: help });
  if (file !== undefined) {
    const { path, ...found } = await ctx.getFacts(documentFile, { file, help });
    return { ...toDocInput(ctx, decodeContent(help, found.content, found.encoding)), path };
  }
  return content === undefined ? undefined : toDocInput(ctx, decodeContent(help, content, encoding));
}

function decodeContent(help: string, content: string, encoding: string | undefined): Buffer {
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  const createError = (problem: string): CleoError => new CleoError('E_VALIDATION', { field: 'content', problem, fix: help });
  if (encoding === 'base64' && bytes.toString('base64').replace(/=+$/, '') !== content.replace(/=+$/, ''))
    throw createError('is not base64');
  if (bytes.length > maxDocBytes) throw createError(`must have at most ${maxDocBytes >> 20} MiB`);
  return bytes;
}

/** Reads a file of the project. */
async function readProjectFile(ctx: ObserveContext, help: string, path: string) {
  const { platform, project, token } = ctx;
  if (!isHostAllowed(token))
    throw new CleoError('E_FORBIDDEN', {
      problem: 'Reading a file of the project requires a token of scope admin; pass content instead',
      fix: help,
      manual: askPerson(ctx.commandWith({})),
    });
  const { readDocument } = await import('#platform/document.ts');
  const tree = await platform.findWorkingTree(project);
  const fix = (right?: string): string => (right === undefined ? help : formatRetry(ctx, { file: right }, help));
  return readDocument({ project, tree, callerFolder: platform.folder, path, fix });
}

const toDocInput = ({ platform }: MutationContext, bytes: Buffer): DocInput => ({
  ...encodeDocBytes(bytes),
  digest: platform.sha256(bytes),
  size: bytes.length,
  bytes,
});
