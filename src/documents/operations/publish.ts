import { dirname } from 'node:path';
import { boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { FilePath } from '#core/model/scalars.ts';
import { DocSlugParam, DocVersionNumber } from '../model/doc.ts';
import { checkDocPath } from '../rules/doc-path.ts';
import { requireVersion } from './fetch.ts';
import { requireDoc } from './shared/documents.ts';

const help = 'cleo help docs publish';

export const docsPublish = job({
  name: 'docs.publish',
  summary: 'Write a document to a file of the project',
  params: strictObject({
    slug: DocSlugParam,
    to: pipe(FilePath, description('Target file, relative to the project folder; never in .cleo or .git')),
    version: optional(DocVersionNumber),
    replace: optional(pipe(boolean(), description('Overwrite a file that is not a version of the document'))),
  }),
  result: strictObject({ file: string(), slug: string(), version: number(), sha256: string() }),
  errors: ['E_NOT_FOUND', 'E_CHECKSUM_MISMATCH', 'E_FILE_ERROR'],
  tier: 1,
  runsOn: 'both',
  usesHost: true,
  cli: { command: 'docs publish', args: ['slug'] },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers', to: 'docs/parsers.md' } },
  async run({ read, platform, project, commandWith }, { slug, to, version, replace = false }) {
    const { files } = platform;
    const createFileError = (problem: string, fix: string): CleoError => new CleoError('E_FILE_ERROR', { path: to, problem, fix });
    const problem = checkDocPath(to);
    if (problem) throw createFileError(problem, help);
    const { folder } = await platform.findWorkingTree(project);
    const path = files.resolveInside(folder, to, help);
    const { doc, content, digests } = await read(async (store) => {
      const doc = await requireDoc(store, slug, 'publish');
      return { doc, content: await requireVersion(store, platform, doc, version), digests: await store.docs.listDigests(slug) };
    });
    const result = { file: to, slug, version: content.version, sha256: content.digest };
    if (files.exists(path)) {
      const existingDigest = files.sha256(path);
      if (existingDigest === content.digest) return noChange(result);
      // A file with the content of a version was published earlier and not edited since.
      if (!replace && !digests.includes(existingDigest)) {
        const error = createFileError(`exists and is not a version of ${doc.slug}`, `cleo docs update ${slug} ${quote(to)}`);
        error.alternatives.push({ action: 'Overwrite it', command: commandWith({ replace: true }) });
        throw error;
      }
    }
    files.createFolder(dirname(path));
    files.writeAtomic(path, content.bytes);
    return result;
  },
});
