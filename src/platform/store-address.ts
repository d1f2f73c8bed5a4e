import type { AddressFacts } from '#core/model/address-facts.ts';
import type { Platform } from './port.ts';

export function describeAddress({ config, databaseUrl, identity }: Platform, env: AddressFacts['environment'], url: string): AddressFacts {
  const { values } = config.inspect(config.userFile());
  return {
    source: url === databaseUrl ? 'CLEO_DATABASE_URL' : 'store.url',
    isOwnAddress: url === databaseUrl || url === values['store.url'] || url === values['store.listenUrl'],
    environment: env,
    client: { argv: process.argv, agent: identity.agent },
  };
}
