import { dirname } from 'node:path';
import { boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { FilePath } from '#core/model/scalars.ts';
import { AskedSlug, DocVersionNumber } from '../model/doc.ts';
import { pathProblem } from '../rules/doc-path.ts';
import { checkedVersion } from './fetch.ts';
import { requireDoc } from './shared/documents.ts';

const help = 'cleo help docs publish';

export const docsPublish = job({
  name: 'docs.publish',
  summary: 'Write a document to a file of the project, whole or not at all',
  params: strictObject({
    slug: AskedSlug,
    to: pipe(FilePath, description('The file, by its path from the project folder; never in .cleo or .git')),
    version: optional(DocVersionNumber),
    replace: optional(pipe(boolean(), description('Also in place of a file that is no version of it'))),
  }),
  result: strictObject({ file: string(), slug: string(), version: number(), sha256: string() }),
  errors: ['E_NOT_FOUND', 'E_CHECKSUM_MISMATCH', 'E_FILE_ERROR'],
  tier: 1,
  scope: 'admin',
  cli: { command: 'docs publish', args: ['slug'] },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers', to: 'docs/parsers.md' } },
  async run({ read, platform, project, commandWith }, { slug, to, version, replace = false }) {
    const { files } = platform;
    const refuse = (problem: string, fix: string): CleoError => new CleoError('E_FILE_ERROR', { path: to, problem, fix });
    const problem = pathProblem(to);
    if (problem) throw refuse(problem, help);
    const { folder } = await platform.workingTree(project);
    const path = files.inside(folder, to, help);
    const { doc, content, digests } = await read(async (store) => {
      const doc = await requireDoc(store, slug, 'publish');
      return { doc, content: await checkedVersion(store, platform, doc, version), digests: await store.docs.digests(slug) };
    });
    const result = { file: to, slug, version: content.version, sha256: content.digest };
    if (files.exists(path)) {
      const found = files.sha256(path);
      if (found === content.digest) return noChange(result);
      // A version of it is what an earlier call left there, and nobody has touched it since.
      if (!replace && !digests.includes(found)) {
        const error = refuse(`holds something that is no version of ${doc.slug}`, `cleo docs update ${slug} ${quote(to)}`);
        error.alternatives.push({ action: 'Write over it', command: commandWith({ replace: true }) });
        throw error;
      }
    }
    files.makeFolder(dirname(path));
    files.writeWhole(path, content.bytes);
    return result;
  },
});
