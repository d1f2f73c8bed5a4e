import { describe } from 'vitest';
import type { TestClient } from './client.ts';
import { describeErrors } from './day-errors.ts';
import { describeFacts } from './day-facts.ts';
import { describeHooks } from './day-hooks.ts';
import { describeIdentity } from './day-identity.ts';
import { describeInteractive } from './day-interactive.ts';
import { describeRestart } from './day-restart.ts';
import { describeSizes } from './day-sizes.ts';
import { describeTrust } from './day-trust.ts';
import versions from './versions.json' with { type: 'json' };

/** Plays a day with one client: both surfaces, hooks, two conversations, a restart, errors and sizes. */
export function describeDay(client: TestClient): void {
  describe(`${versions[client.name].package} ${versions[client.name].version}`, () => {
    describeIdentity(client);
    describeHooks(client);
    describeFacts(client);
    describeRestart(client);
    describeInteractive(client);
    describeErrors(client);
    describeSizes(client);
    describeTrust(client);
  });
}
