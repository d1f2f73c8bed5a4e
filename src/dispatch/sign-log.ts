import { findOrCreateKey, signHead } from '#admin/operations/shared/sign-head.ts';
import { toProjectIdentity } from '#admin/rules/audit-chain.ts';
import { headsFile, toEntryText } from '#admin/rules/audit-heads.ts';
import { CleoError } from '#core/errors/error.ts';
import { type App, requireProject } from './call-context.ts';

const headIntervalMs = 60_000;

/** Makes a server sign every entry of the log as it is committed, and append a signed head once a minute if the log has grown.
 *  Returns a function that appends the last head. A server without a usable key runs unsigned and reports why. */
export async function startSigning(app: App, report: (problem: string) => void): Promise<() => Promise<void>> {
  const { platform } = app;
  const project = requireProject(platform);
  try {
    const { key } = findOrCreateKey(await platform.loadSigning());
    app.signEntry = (seq, hash) => `${key.fingerprint}:${key.sign(toEntryText(seq, hash))}`;
    /** The last entry that a head covers. */
    let signedSeq = 0;
    const appendHead = async (): Promise<void> => {
      await (await app.openStore('read')).read(async ({ audit }) => {
        const head = await audit.getHead();
        if (!head || head.seq === signedSeq) return;
        const { replica } = await audit.getStoreFacts();
        const identity = toProjectIdentity(platform.config.load(project)['project.key'], replica);
        const line = await signHead(key, { project: identity, replica, entries: head.seq, head: head.hash, at: platform.now() });
        platform.files.appendLine(`${project.folder}/${headsFile}`, JSON.stringify(line));
        signedSeq = head.seq;
      });
    };
    signedSeq = (await (await app.openStore('read')).read(({ audit }) => audit.getHead()))?.seq ?? 0;
    const appendQuietly = (): Promise<void> =>
      appendHead().catch((error: Error) => report(`the head of the log was not signed: ${error.message}`));
    const timer = setInterval(() => void appendQuietly(), headIntervalMs);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await appendQuietly();
    };
  } catch (error) {
    if (!(error instanceof CleoError) && !(error instanceof Error && 'code' in error)) throw error;
    report(`the audit log is not signed: ${(error as Error).message}`);
    return async () => {};
  }
}
