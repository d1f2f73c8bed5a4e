import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { SigningKey } from '#platform/signing/port.ts';
import type { EntryHash } from '#store/port/admin.ts';
import type { RestoredLog, StoreAdmin } from '#store/port/store.ts';
import { toProjectIdentity } from '../../rules/audit-chain.ts';
import { headsFile, parseHeads } from '../../rules/audit-heads.ts';
import { readLocalFacts, recordLocalFacts } from './local-facts.ts';
import { signHead, signRecord } from './sign-head.ts';

interface RestoreContext {
  platform: Platform;
  project: Project;
  config: Config;
  admin: StoreAdmin;
  now: string;
}

/** Records the outcome of a restore next to the store. The part of the log that the backup does not know stays in the log and is
 *  signed if there is a key. If the present log was lost with a damaged store, a signed segment says so; otherwise heads that
 *  were signed before would report the log as cut. */
export async function recordRestore(
  { platform, project, config, admin, now }: RestoreContext,
  log: RestoredLog | undefined,
): Promise<{ from: number; to: number; isSigned: boolean } | undefined> {
  const key = await findKey(platform);
  const before = findLastKnownEntry(platform, project);
  const store = await admin.open('read');
  try {
    return await store.read(async (reads) => {
      const { replica } = await reads.audit.getStoreFacts();
      const head = (await reads.audit.getHead()) ?? { seq: 0, hash: '0'.repeat(64) };
      const about = { project: toProjectIdentity(config['project.key'], replica), replica, at: now };
      const append = (line: object): void => platform.files.appendLine(`${project.folder}/${headsFile}`, JSON.stringify(line));
      const isReplaced = log?.kept === 'present' && log.present.seq > log.backup.seq;
      if (key && isReplaced) append(await signHead(key, { ...about, entries: head.seq, head: head.hash }));
      if (key && !log) append(await signSegment(key, { ...about, ...head, ...(before && before.seq > head.seq ? { lost: before } : {}) }));
      await recordLocalFacts(platform, project, reads);
      return isReplaced ? { from: log.backup.seq + 1, to: log.present.seq, isSigned: key !== undefined } : undefined;
    });
  } finally {
    await store.close();
  }
}

const signSegment = (key: SigningKey, segment: object): Promise<object> => signRecord(key, { version: 1, kind: 'segment', ...segment });

/** Returns the last entry that is known from outside the store: from local.json or a signed head. */
function findLastKnownEntry(platform: Platform, project: Project): EntryHash | undefined {
  const { heads } = parseHeads(platform.files.readText(`${project.folder}/${headsFile}`) ?? '');
  const known = [readLocalFacts(platform, project)?.auditHead ?? [], heads.map(({ seq, hash }) => ({ seq, hash }))].flat();
  return known.sort((one, other) => other.seq - one.seq)[0];
}

/** A key that cannot be used does not prevent a restore. */
async function findKey(platform: Platform): Promise<SigningKey | undefined> {
  try {
    return (await platform.loadSigning()).find();
  } catch {
    return undefined;
  }
}
