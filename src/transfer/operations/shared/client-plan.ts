import { array, object, optional, parse, picklist, pipe, regex, string, tuple } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import { type ApplyContext, observation } from '#core/observation.ts';
import type { PlanFiles } from '#platform/plan-port.ts';
import type { Platform } from '#platform/port.ts';
import { maxPlanFileBytes, scanPlanFiles } from './plan-scan.ts';
import { clientTree, getPlanFolder, toKnownStats } from './plan-stats.ts';

/** The files of `.cleo/plan`, and no others: a server must not choose which files it reads or writes. */
const PlanName = pipe(
  string(),
  regex(/^(?:[a-z]+\/[A-Za-z0-9][\w.-]{0,127}\.json|contents\/[0-9a-f]{64})$/, 'must be the name of a plan file'),
);
const Encoding = picklist(['utf8', 'base64']);

/** The plan files in the checkout of the caller, with a hash of each. A size and a time would be those of one checkout only. */
const planListing = observation({
  name: 'checkout.plan',
  request: object({}),
  facts: object({ files: array(tuple([string(), string()])) }),
  async observe({ platform, project }) {
    const planFiles = await platform.loadPlanFiles();
    const { folder } = await getPlanFolder(platform, project);
    const hash = (name: string, stat: string): string => {
      const bytes = stat === 'link' ? undefined : planFiles.read(folder, name, maxPlanFileBytes);
      return bytes ? platform.sha256(bytes) : stat;
    };
    return { files: [...planFiles.list(folder)].map(([name, stat]): [string, string] => [name, hash(name, stat)]) };
  },
});

const PlanContents = object({ contents: array(object({ name: string(), base64: optional(string()) })) });

/** The contents of plan files in the checkout of the caller. One that cannot be read has none. */
const planContents = observation({
  name: 'checkout.plan-contents',
  request: object({ names: array(PlanName) }),
  facts: PlanContents,
  async observe({ platform, project }, { names }) {
    const planFiles = await platform.loadPlanFiles();
    const { folder } = await getPlanFolder(platform, project);
    return {
      contents: names.map((name) => {
        const bytes = planFiles.read(folder, name, maxPlanFileBytes);
        return bytes ? { name, base64: Buffer.from(bytes).toString('base64') } : { name };
      }),
    };
  },
});

export const planObservations = [planListing, planContents];

const WrittenFiles = object({ files: array(object({ name: PlanName, encoding: Encoding, content: string() })) });

/** The plan files of a client, as `PlanFiles`. Contents that are not known yet are asked for by `requireContents`; files that are written are
 *  left to `apply`. */
interface ClientPlan {
  platform: Platform;
  requireContents(): Promise<void>;
  listWritten(): Record<string, unknown> | undefined;
}

/** Opens the plan files of the client that makes the call; undefined if the call is made where the store is. */
export async function openClientPlan(
  ctx: Pick<QueryContext, 'token' | 'platform' | 'getFacts' | 'observed'>,
): Promise<ClientPlan | undefined> {
  if (!ctx.token?.isClient) return undefined;
  const { files } = await ctx.getFacts(planListing, {});
  const contents = new Map<string, Uint8Array | undefined>();
  for (const { name, facts } of ctx.observed?.values() ?? [])
    if (name === planContents.name)
      for (const each of parse(PlanContents, facts).contents)
        contents.set(each.name, each.base64 === undefined ? undefined : Buffer.from(each.base64, 'base64'));
  const listed = new Map(files);
  const missing = new Set<string>();
  const written = new Map<string, string | Uint8Array>();
  const planFiles: PlanFiles = {
    list: () => new Map(listed),
    read(_, name, maxBytes) {
      if (!listed.has(name)) return undefined;
      if (!contents.has(name)) missing.add(name);
      const bytes = contents.get(name);
      return bytes && bytes.length <= maxBytes ? bytes : undefined;
    },
    write(_, name, text) {
      written.set(name, text);
      return ctx.platform.sha256(text);
    },
    remove: () => {},
  };
  const tree = { folder: clientTree, top: clientTree };
  return {
    platform: { ...ctx.platform, loadPlanFiles: async () => planFiles, findWorkingTree: async () => tree as never },
    async requireContents() {
      if (missing.size > 0) await ctx.getFacts(planContents, { names: [...missing].sort() });
    },
    listWritten: () =>
      written.size === 0
        ? undefined
        : {
            files: [...written].map(([name, text]) =>
              typeof text === 'string'
                ? { name, encoding: 'utf8', content: text }
                : { name, encoding: 'base64', content: Buffer.from(text).toString('base64') },
            ),
          },
  };
}

/** Asks for the contents of the files that differ from those of the last sync. Without them a sync would take them for unreadable. */
export async function scanClientPlan({ store }: Pick<QueryContext, 'store'>, client: ClientPlan): Promise<void> {
  const planFiles = await client.platform.loadPlanFiles();
  scanPlanFiles(planFiles, clientTree, planFiles.list(clientTree), toKnownStats(await store.plan.listFileStats(clientTree)));
  await client.requireContents();
}

/** Writes the files that a sync changed in the checkout of the caller. */
export async function writePlanFiles({ platform, project }: ApplyContext, data: unknown): Promise<void> {
  const planFiles = await platform.loadPlanFiles();
  const { folder } = await getPlanFolder(platform, project);
  for (const { name, encoding, content } of parse(WrittenFiles, data).files) planFiles.write(folder, name, Buffer.from(content, encoding));
}
