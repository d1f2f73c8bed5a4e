import { join } from 'node:path';
import { createPlatform } from '../src/platform/platform.ts';

/** Trusts what a test wrote into the project in a folder, as a person does with `cleo trust`. `env` names the home folder. */
export async function trustProject(folder: string, env: Record<string, string | undefined>): Promise<void> {
  const platform = createPlatform(env, folder, '0.0.0-test');
  await (await platform.loadTrust()).trustAll(platform.getProject()!);
}

/** Returns the digest for CLEO_TRUST of the present content of a project. */
export async function computeTrustDigest(folder: string): Promise<string> {
  const platform = createPlatform({ CLEO_HOME: join(folder, '.home') }, folder, '0.0.0-test');
  return (await platform.loadTrust()).computeDigest(platform.getProject()!);
}
