import { expect, test } from 'vitest';
import type { Operation } from '#core/define.ts';
import { registry } from '#core/index.generated.ts';
import { asPerson, type Json, openApp } from '../../../test/app.ts';
import { startServer } from '../../../test/http-server.ts';
import { normalizeAnswer } from '../../../test/parity-answer.ts';
import { needsPerson } from '../../../test/person-token.ts';
import { callThroughServer } from '../../../test/remote-client.ts';

/** Operations that use the store and the checkout at once, which a client of a server cannot do. */
const usesBoth = ({ runsOn }: Operation): boolean => runsOn === 'both';

/** A spawned agent of a client has a name below that of the token. */
const removeTokenName = (envelope: Json): Json =>
  JSON.parse(JSON.stringify(envelope).replace(/\btester\/(T\d+-(?:worker|validator)-\d+)/g, '$1')) as Json;

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
const toRows = (all: Operation[]) => all.map((operation) => [operation.name, operation] as const);

/** Operations that run on the client are not affected by the server. */
const isSent = ({ runsOn, needs }: Operation): boolean => (runsOn ?? (needs === 'store' ? 'server' : 'client')) !== 'client';

test.each(toRows(operations.filter((operation) => isSent(operation) && !usesBoth(operation))))(
  '%s returns the same answer through a server',
  async (_, operation) => {
    const { call, world = [] } = operation.example;
    const direct = await openApp({ tasks: world });
    // A server creates the key that signs its log.
    if (operation.name.endsWith('.sign')) await startServer(direct);
    const expected = await direct.reply(operation.name, call, needsPerson(operation) ? asPerson : {});
    const app = await openApp({ tasks: world });
    const { envelope, exitCode } = await callThroughServer(app, operation, call);
    expect(exitCode, JSON.stringify(envelope.error)).toBe(expected.exitCode);
    expect(normalizeAnswer(removeTokenName(envelope), app.root)).toEqual(normalizeAnswer(expected.envelope, direct.root));
  },
);

test.each(toRows(operations.filter(usesBoth)))(
  '%s is rejected through a server, because it uses the checkout too',
  async (_, operation) => {
    const { call, world = [] } = operation.example;
    const { envelope, exitCode } = await callThroughServer(await openApp({ tasks: world }), operation, call);
    const { code, details } = envelope.error;
    // An operation with exit codes of its own has the code in its details.
    expect([exitCode, details.cleoCode ?? code]).toEqual([operation.exitNamespace ? 78 : 8, 'E_STORE_BEHIND_SERVER']);
  },
);
