import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { pathProblem } from '#documents/rules/doc-path.ts';
import { largestLedger, mostLedgers } from '../../model/memory.ts';
import { decisionsToldIn, type ToldDecision } from '../../rules/memory-adr.ts';

/** What a file of the project tells. */
export interface Told {
  /** As the project sees it. */
  file: string;
  decisions: ToldDecision[];
}

export interface Read {
  told: Told[];
  skipped: { file: string; why: string }[];
}

const fix = 'cleo help memory import';
/** Where decisions lie that nobody has taken over yet. */
const usual = ['.cleo/adrs', '.cleo/agent-outputs'];

/** The decisions in the files of a folder; without one, of those where agents leave them. */
export async function readLedgers(ctx: MutationContext, folder: string | undefined): Promise<Read> {
  const { platform, project, token } = ctx;
  // Whoever comes with a token comes from elsewhere: what lies in the project is not theirs to read.
  if (token && token.scope !== 'admin')
    throw new CleoError('E_FORBIDDEN', {
      problem: 'Reading files of the project needs a token of scope admin',
      fix: 'cleo token create --name client-admin --scope admin',
    });
  const read: Read = { told: [], skipped: [] };
  const { readDocument } = await import('#platform/document.ts');
  const tree = await platform.workingTree(project);
  for (const place of await places(ctx, folder))
    for (const { name, size } of ledgersIn(ctx, place.path)) {
      const file = `${place.name}/${name}`;
      const skip = (why: string): void => void read.skipped.push({ file, why });
      if (size > largestLedger) {
        skip(`is longer than ${largestLedger} bytes`);
        continue;
      }
      try {
        const found = readDocument({ project, tree, stands: place.root, path: file, fix: () => fix });
        const decisions = decisionsToldIn(name, new TextDecoder('utf-8', { fatal: true }).decode(found.bytes));
        if (decisions.length === 0) skip('tells no decision');
        else read.told.push({ file: found.name, decisions });
      } catch (error) {
        // One bad file among many is told, and hinders none of the others.
        if (error instanceof CleoError) skip(error.message.replace(`${file}: `, ''));
        else if (error instanceof TypeError) skip('is not UTF-8');
        else throw error;
      }
    }
  return read;
}

interface Place {
  root: string;
  path: string;
  name: string;
}

/** Of the checkout that the caller stands in, else of the project itself. */
async function places({ platform, project }: MutationContext, folder: string | undefined): Promise<Place[]> {
  const { inProject } = await import('#platform/shared-file.ts');
  const tree = await platform.workingTree(project);
  const problem = folder === undefined ? undefined : pathProblem(folder);
  if (problem) throw new CleoError('E_FILE_ERROR', { path: folder!, problem, fix });
  const found = (folder === undefined ? usual : [folder]).flatMap((path) => {
    for (const root of [...new Set([tree.folder, project.root])]) {
      const at = inProject(root, path, fix);
      if (at.isThere && platform.files.isFolder(at.path)) return [{ root, path: at.path, name: at.place }];
    }
    return [];
  });
  if (folder !== undefined && found.length === 0) throw new CleoError('E_NOT_FOUND', { id: folder, what: 'folder', fix });
  return found;
}

function ledgersIn({ platform }: MutationContext, folder: string): { name: string; size: number }[] {
  const files = platform.files
    .list(folder)
    .filter(({ name }) => /\.(md|markdown|jsonl?)$/i.test(name) && !platform.files.isFolder(`${folder}/${name}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (files.length > mostLedgers)
    throw new CleoError('E_FILE_ERROR', { path: folder, problem: `holds more than ${mostLedgers} files to read`, fix });
  return files;
}
