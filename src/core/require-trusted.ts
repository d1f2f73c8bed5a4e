import type { Platform, Project } from '#platform/port.ts';
import type { TrustSubject } from './model/trust.ts';

/** Throws E_PROJECT_UNTRUSTED unless the user has trusted what the call is about to use. Call it right before a program of the project
 *  runs: the file can change between two calls. */
export async function requireTrusted(
  { platform, project }: { platform: Platform; project: Project },
  subject: TrustSubject,
): Promise<void> {
  await (await platform.loadTrust()).requireTrusted(project, subject);
}
