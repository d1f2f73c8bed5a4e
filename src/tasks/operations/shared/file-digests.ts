import { array, object, optional, string } from 'valibot';
import { type ObserveContext, observation } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';

interface FileDigest {
  path: string;
  sha256?: string | undefined;
}

/** The digests of files of the checkout, by their path in the project. A file that does not exist has none. */
export const fileDigests = observation({
  name: 'checkout.digests',
  request: object({ paths: array(string()) }),
  facts: array(object({ path: string(), sha256: optional(string()) })),
  observe: (ctx, { paths }) => hashFiles(ctx, paths),
});

async function hashFiles({ platform, project }: ObserveContext, paths: string[]): Promise<FileDigest[]> {
  const tree = await platform.findWorkingTree(project);
  const digests: FileDigest[] = [];
  for (const path of paths) {
    const file = await platform.findFile(project, tree, path, tree.folder);
    digests.push({ path, ...defined({ sha256: file && platform.files.sha256(file.path) }) });
  }
  return digests;
}
