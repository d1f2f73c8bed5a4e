import { dirname } from 'node:path';
import { boolean, description, number, object, optional, pipe, strictObject, string } from 'valibot';
import { answer, mutation, noChange } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { type ApplyContext, observation, requestFacts } from '#core/observation.ts';
import { findActiveFileProblem } from '#core/rules/passive-file.ts';
import { defined } from '#lib/collections.ts';
import { DocSlugParam, DocVersionNumber } from '../model/doc.ts';
import { checkDocPath } from '../rules/doc-path.ts';
import { requireVersion } from './fetch.ts';
import { requireDoc } from './shared/documents.ts';

const help = 'cleo help docs publish';

/** The file that a document is written to. */
const targetFile = observation({
  name: 'checkout.target',
  isByCaller: true,
  request: object({ to: string() }),
  facts: object({ sha256: optional(string()) }),
  async observe(ctx, { to }) {
    const path = await resolveTarget(ctx, to);
    const { files } = ctx.platform;
    return defined({ sha256: files.exists(path) ? files.sha256(path) : undefined });
  },
});

export const docsPublish = mutation({
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
  usesHost: true,
  observes: [targetFile],
  observeFirst: ({ to }) => [requestFacts(targetFile, { to })],
  cli: { command: 'docs publish', args: ['slug'] },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers', to: 'docs/parsers.md' } },
  async run({ store, platform, gateway, getFacts, commandWith }, { slug, to, version, replace = false }) {
    const active = gateway === 'cli' ? undefined : findActiveFileProblem(to);
    if (active)
      throw new CleoError('E_FILE_ERROR', {
        path: to,
        problem: active,
        fix: commandWith({ to: `docs/${slug}.md` }),
        manual: `Run it on the command line: ${commandWith({})}`,
      });
    const doc = await requireDoc(store, slug, 'publish');
    const content = await requireVersion(store, platform, doc, version);
    const result = { file: to, slug, version: content.version, sha256: content.digest };
    const { sha256 } = await getFacts(targetFile, { to });
    if (sha256 === content.digest) return noChange(result);
    // A file with the content of a version was published earlier and not edited since.
    if (sha256 !== undefined && !replace && !(await store.docs.listDigests(slug)).includes(sha256)) {
      const problem = `exists and is not a version of ${doc.slug}`;
      const error = new CleoError('E_FILE_ERROR', { path: to, problem, fix: `cleo docs update ${slug} ${quote(to)}` });
      error.alternatives.push({ action: 'Overwrite it', command: commandWith({ replace: true }) });
      throw error;
    }
    return answer(result, { apply: { base64: content.bytes.toString('base64') }, isRepeatable: true });
  },
  async apply(ctx, { to }, { base64 }) {
    const { files } = ctx.platform;
    const path = await resolveTarget(ctx, to);
    files.createFolder(dirname(path));
    files.writeAtomic(path, Buffer.from(String(base64), 'base64'));
  },
});

/** Returns the path of the file in the checkout of the caller. */
async function resolveTarget({ platform, project }: ApplyContext, to: string): Promise<string> {
  const problem = checkDocPath(to);
  if (problem) throw new CleoError('E_FILE_ERROR', { path: to, problem, fix: help });
  const { folder } = await platform.findWorkingTree(project);
  return platform.files.resolveInside(folder, to, help);
}
