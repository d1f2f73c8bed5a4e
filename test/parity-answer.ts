import { version } from '../src/version.ts';
import { asPerson, type Json } from './app.ts';

/** Replaces what differs between calls: times, session ids, durations, the folder, its key and its tokens, and the version. Leaves out
 *  what belongs to a surface: the message of an error and the calls of its commands. */
export function normalizeAnswer({ error, ...envelope }: Json, root: string): unknown {
  const { timestamp: _, sessionId: __, ...meta } = envelope._meta;
  const born = '2026-01-01T00:00:00.000Z';
  const failure = error && { ...error, message: '' };
  const text = JSON.stringify({ ...envelope, error: failure, _meta: meta }, (key, value) => {
    if (isCall(key, value)) return undefined;
    // The operation that describes the caller names the surface and the folder.
    if (meta.command === 'admin.whoami' && ['via', 'scope', 'name'].includes(key)) return '<surface>';
    if (meta.command === 'admin.whoami' && key === 'token') return undefined;
    if (key === 'tokens') return value.filter(({ name }: Json) => name !== asPerson.token.name);
    return /Ms$|^promptTokens$/.test(key) && typeof value === 'number' ? 0 : value;
  });
  return JSON.parse(
    text
      .replaceAll(JSON.stringify(root).slice(1, -1), '<root>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => (time === born ? time : '<now>'))
      .replace(/\d{8}T\d{9}Z/g, '<now>')
      .replace(/\bt\d+_[a-z0-9]{1,8}\b/g, '<key>')
      .replace(/\bcleo_[\w-]{43}/g, '<secret>')
      .replace(/ed25519:[\w+/]{43}=/g, '<public key>')
      .replace(/[\w+/]{86}==/g, '<signature>')
      .replace(/\bsession-\d{13}-[0-9a-f]{6}\b/g, '<session>')
      .replace(/(\d{4}-\d\d-\d\d-)?\brun-[0-9a-z]{8}[0-9a-f]{6}\b/g, '<run>')
      .replaceAll('0.0.0-test', version),
  );
}

const isCall = (key: string, value: unknown): boolean => key === 'call' && Object.hasOwn(Object(value), 'tool');
