import type { Operation } from '../src/core/define.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';

/** The token of the person in tests that start processes. */
export const personToken = { name: 'ada', secret: `cleo_${'a'.repeat(43)}` };

/** Checks whether every call of an operation needs a person. */
export const needsPerson = (operation: Operation): boolean => typeof operation.scope === 'string';

/** Returns the environment in which the commands of a process are a person's: a token of scope admin in `CLEO_TOKEN`, which is written
 *  into the store of the project, and no name of an agent. */
export async function grantPerson(folder: string, env: Record<string, string> = {}): Promise<Record<string, string>> {
  const { CLEO_AGENT_ID: _, ...own } = env;
  const platform = createPlatform({ HOME: folder, ...own }, folder, '0.0.0-test');
  const app = createApp(platform);
  try {
    await (await app.openStore('write')).write({ at: platform.now(), by: personToken.name }, async ({ tokens }) => {
      if (await tokens.get(personToken.name)) return;
      const { name, secret } = personToken;
      await tokens.insert({ name, scope: 'admin', hash: platform.sha256(secret), createdAt: platform.now(), createdBy: name });
    });
  } finally {
    await app.closeStores();
  }
  return { ...own, CLEO_TOKEN: personToken.secret };
}
