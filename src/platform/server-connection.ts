import { type ClientRequest, get as getHttp, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { get as getHttps, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerAnswer, ServerConnection, ServerRequest, ServerStream, TextParts } from '#core/model/server-connection.ts';
import { framedCallType } from '#core/model/text-frames.ts';

/** A request that received no answer. `wasSent` is false only if the server cannot have seen it. */
class NoAnswer extends Error {
  readonly wasSent: boolean;
  /** Trying again does not help: the host is unknown, or its certificate is not valid. */
  readonly isFinal: boolean;
  constructor(problem: string, wasSent: boolean, isFinal = false) {
    super(problem);
    this.wasSent = wasSent;
    this.isFinal = isFinal;
  }
}

const unknownAuthority = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/;
const finalCodes = /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** Longer than any answer of a cleo server. Anything can answer at an address, also without an end. */
const maxAnswerBytes = 256 << 20;
/** Longer than any error instead of a stream. */
const maxRefusalLength = 1 << 20;

/** Connects to a cleo server. The connection stays open between the requests of this process. */
export function connectServer(address: string): ServerConnection {
  const base = address.replace(/\/+$/, '');
  const isTls = /^https:/i.test(base);
  const options = { keepAlive: true, maxSockets: 8, timeout: 60_000 };
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
  const post = (path: string, { body, texts, headers, connectTimeoutMs, timeoutMs, signal }: ServerRequest): Promise<ServerAnswer> =>
    new Promise((resolve, reject) => {
      let wasSent = false;
      const fail = (problem: string): void => reject(new NoAnswer(problem, wasSent));
      const request: ClientRequest = (isTls ? requestHttps : requestHttp)(
        `${base}${path}`,
        {
          method: 'POST',
          agent,
          headers: texts
            ? { 'content-type': framedCallType, 'transfer-encoding': 'chunked', ...headers }
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
          ...(signal ? { signal } : {}),
        },
        (response) => {
          const parts: Buffer[] = [];
          let bytes = 0;
          response.on('data', (part: Buffer) => {
            bytes += part.length;
            if (bytes <= maxAnswerBytes) parts.push(part);
            else {
              reject(new NoAnswer(`the answer is longer than ${maxAnswerBytes >> 20} MiB`, true, true));
              request.destroy();
            }
          });
          response.on('error', (error) => fail(error.message));
          response.on('end', () =>
            response.complete
              ? resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') })
              : fail('the connection broke in the answer'),
          );
        },
      );
      const timer = setTimeout(() => request.destroy(new Error('the connection was not established in time')), connectTimeoutMs);
      request.on('socket', (socket) => {
        socket.setKeepAlive(true, 10_000);
        const begin = (): void => {
          clearTimeout(timer);
          wasSent = true;
          request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
        };
        if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', begin);
        else begin();
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const code = error.code ?? '';
        const problem = code === '' ? error.message : error.message.includes(code) ? code : `${code}: ${error.message}`;
        const isUnknown = unknownAuthority.test(code);
        const hint = isUnknown ? '; name the file of the authority that signed its certificate in NODE_EXTRA_CA_CERTS' : '';
        reject(new NoAnswer(`${problem}${hint}`, wasSent, !wasSent && (isUnknown || finalCodes.test(code))));
      });
      if (!texts) request.end(body);
      // A file that cannot be read to its end is the error of the call; the server does not run a request without its end.
      else pipeline(Readable.from(listFrames(body, texts), { objectMode: false }), request).catch(reject);
    });
  const follow = (path: string, { headers, connectTimeoutMs, timeoutMs, signal, onText }: ServerStream): Promise<ServerAnswer> =>
    new Promise((resolve, reject) => {
      const options = { agent: false, headers: { accept: 'text/event-stream', ...headers }, timeout: connectTimeoutMs, signal } as const;
      const request = (isTls ? getHttps : getHttp)(`${base}${path}`, options, (response) => {
        const status = response.statusCode ?? 0;
        const isStream = status === 200 && /^text\/event-stream\b/.test(response.headers['content-type'] ?? '');
        let text = '';
        request.setTimeout(timeoutMs);
        response.setEncoding('utf8').on('data', (part: string) => {
          if (isStream) onText(part);
          else if (text.length < maxRefusalLength) text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status, text }));
      });
      // Following the log is no reason for a process to stay alive.
      request.on('socket', (socket) => socket.unref());
      request.on('timeout', () => request.destroy(new Error('the server was silent for too long')));
      request.on('error', reject);
    });
  return { post, follow, close: () => agent.destroy() };
}

function* listFrames(body: string, texts: TextParts[]): Generator<Buffer> {
  yield Buffer.from(`${body}\n`);
  for (const text of texts) {
    for (const chunk of text.chunks()) if (chunk !== '') yield* toFrame(Buffer.from(chunk));
    yield* toFrame(Buffer.alloc(0));
  }
}

function* toFrame(bytes: Buffer): Generator<Buffer> {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  yield length;
  if (bytes.length > 0) yield bytes;
}
