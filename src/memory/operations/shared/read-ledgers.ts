import { array, type InferOutput, object, optional, string } from 'valibot';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { type ObserveContext, observation } from '#core/observation.ts';
import { isHostAllowed } from '#core/rules/token-scope.ts';
import { checkDocPath } from '#documents/rules/doc-path.ts';
import { ConfirmationStateSchema, maxLedgerBytes, maxLedgers } from '../../model/memory.ts';
import { parseDecisions } from '../../rules/memory-adr.ts';

const Decision = object({
  title: string(),
  content: string(),
  state: ConfirmationStateSchema,
  supersededBy: optional(string()),
  tasks: array(string()),
});

/** Paths are relative to the project folder. */
const LedgerContentsSchema = object({
  files: array(object({ file: string(), decisions: array(Decision) })),
  skipped: array(object({ file: string(), why: string() })),
});
export type LedgerContents = InferOutput<typeof LedgerContentsSchema>;

/** The decisions in the files of a folder that the caller names, or of the default folders. */
export const ledgerContents = observation({
  name: 'checkout.ledgers',
  isByCaller: true,
  request: object({ folder: optional(string()) }),
  facts: LedgerContentsSchema,
  observe: (ctx, { folder }) => readLedgers(ctx, folder),
});

const fix = 'cleo help memory import';
/** Folders where agents leave decisions. */
const defaultFolders = ['.cleo/adrs', '.cleo/agent-outputs'];

async function readLedgers(ctx: ObserveContext, folder: string | undefined): Promise<LedgerContents> {
  const { platform, project, token } = ctx;
  if (!isHostAllowed(token))
    throw new CleoError('E_FORBIDDEN', {
      problem: 'Reading files of the project requires a token of scope admin',
      fix: askPerson(ctx.commandWith({})),
    });
  const contents: LedgerContents = { files: [], skipped: [] };
  const { readDocument } = await import('#platform/document.ts');
  const tree = await platform.findWorkingTree(project);
  for (const ledgerFolder of await findLedgerFolders(ctx, folder))
    for (const { name, size } of listLedgers(ctx, ledgerFolder.path)) {
      const file = `${ledgerFolder.name}/${name}`;
      const skip = (why: string): void => void contents.skipped.push({ file, why });
      if (size > maxLedgerBytes) {
        skip(`is longer than ${maxLedgerBytes} bytes`);
        continue;
      }
      try {
        const document = readDocument({ project, tree, callerFolder: ledgerFolder.root, path: file, fix: () => fix });
        const decisions = parseDecisions(name, new TextDecoder('utf-8', { fatal: true }).decode(document.bytes));
        if (decisions.length === 0) skip('contains no decision');
        else contents.files.push({ file: document.name, decisions });
      } catch (error) {
        // An invalid file is skipped and does not stop the import.
        if (error instanceof CleoError) skip(error.message.replace(`${file}: `, ''));
        else if (error instanceof TypeError) skip('is not UTF-8');
        else throw error;
      }
    }
  return contents;
}

interface LedgerFolder {
  root: string;
  path: string;
  name: string;
}

/** Finds the folders in the caller's checkout first, then in the project. */
async function findLedgerFolders({ platform, project }: ObserveContext, folder: string | undefined): Promise<LedgerFolder[]> {
  const { resolveInProject } = await import('#platform/shared-file.ts');
  const tree = await platform.findWorkingTree(project);
  const problem = folder === undefined ? undefined : checkDocPath(folder);
  if (problem) throw new CleoError('E_FILE_ERROR', { path: folder!, problem, fix });
  const folders = (folder === undefined ? defaultFolders : [folder]).flatMap((path) => {
    for (const root of [...new Set([tree.folder, project.root])]) {
      const at = resolveInProject(root, path, fix);
      if (at.exists && platform.files.isFolder(at.path)) return [{ root, path: at.path, name: at.name }];
    }
    return [];
  });
  if (folder !== undefined && folders.length === 0) throw new CleoError('E_FILE_ERROR', { path: folder, problem: 'is not a folder', fix });
  return folders;
}

function listLedgers({ platform }: ObserveContext, folder: string): { name: string; size: number }[] {
  const files = platform.files
    .list(folder)
    .filter(({ name }) => /\.(md|markdown|jsonl?)$/i.test(name) && !platform.files.isFolder(`${folder}/${name}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (files.length > maxLedgers)
    throw new CleoError('E_FILE_ERROR', { path: folder, problem: `contains more than ${maxLedgers} files to read`, fix });
  return files;
}
