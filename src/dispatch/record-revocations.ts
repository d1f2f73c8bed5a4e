import { type App, requireProject } from './call-context.ts';

/** The time after which a server looks for tokens that were revoked elsewhere, when it is called. */
const recheckMs = 10_000;
/** A revocation has the time at which its call began, and may be committed after a later one. */
const overlapMs = 60_000;

interface RevocationRecorder {
  /** Stores the ids of all revoked tokens in the cleo folder. */
  record(): Promise<void>;
  /** Looks for revoked tokens after a call, from time to time. A server without calls asks nothing. */
  onReply(): void;
}

/** Keeps the ids of revoked tokens on the machine of a server, so that a database that is replaced by an earlier one revives none. */
export function createRevocationRecorder(app: App, warn: (problem: string) => void): RevocationRecorder {
  const { platform } = app;
  let after = '';
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let hasWarned = false;
  const record = async (): Promise<void> => {
    checkedAtMs = platform.monotonicMs();
    try {
      const revoked = await (await app.openStore('read')).read(({ tokens }) => tokens.listRevokedAfter(after));
      const key = platform.config.load(requireProject(platform))['project.key'];
      (await platform.loadRevokedTokens()).add(key, revoked);
      const last = revoked.at(-1)?.revokedAt;
      if (last !== undefined) after = new Date(Date.parse(last) - overlapMs).toISOString();
    } catch (error) {
      if (!hasWarned) warn(`revoked tokens are not recorded on this machine: ${(error as Error).message}`);
      hasWarned = true;
    }
  };
  return {
    record,
    onReply() {
      if (platform.monotonicMs() - checkedAtMs > recheckMs) void record();
    },
  };
}
