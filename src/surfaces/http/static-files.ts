import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The headers of a request that decide about the form of the answer. */
interface StaticRequest {
  path: string;
  accept: string | undefined;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

interface StaticFiles {
  /** Returns the file of a path, or the page for an address of one of its views; undefined for any other path. */
  respond(request: StaticRequest): Promise<Response | undefined>;
}

interface StaticFile {
  bytes: Buffer;
  type: string;
  etag: string;
  /** Compressed at the first request that accepts it; undefined if that is not smaller. */
  compressed?: Promise<Buffer | undefined>;
}

/** Serves the web page. All files are read at the first request, so a path is only looked up and never reaches the file system, and a server
 *  whose files were replaced by a new version continues with one version of them. */
export function createStaticFiles(folder: string): StaticFiles {
  let files: Promise<Map<string, StaticFile>> | undefined;
  const load = async (): Promise<Map<string, StaticFile>> => {
    files ??= readFiles(folder);
    const found = await files;
    // A build may be running.
    if (!found.has('/index.html')) files = undefined;
    return found;
  };
  return {
    async respond(request) {
      const { path } = request;
      if (isReserved(path)) return undefined;
      const found = await load();
      const page = found.get('/index.html');
      const file = path === '/' ? page : found.get(path);
      if (file) return respondFile(file, path, request);
      if (path !== '/' && (extname(path) !== '' || !/\btext\/html\b/.test(request.accept ?? ''))) return undefined;
      return page ? respondFile(page, '/index.html', request) : respondMissing();
    },
  };
}

/** Paths of the other routes. */
const isReserved = (path: string): boolean => /^\/(?:api|mcp|metrics|healthz)(?:\/|$)/.test(path);

async function readFiles(folder: string): Promise<Map<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    // Links are skipped: they could lead out of the folder.
    const type = types[extname(entry.name)];
    if (!entry.isFile() || !type) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    files.set(`/${relative(folder, path).replaceAll('\\', '/')}`, { bytes, type, etag });
  }
  return files;
}

async function respondFile(file: StaticFile, path: string, { acceptEncoding, ifNoneMatch }: StaticRequest): Promise<Response> {
  const zipped = /\bgzip\b/.test(acceptEncoding ?? '') ? await compress(file) : undefined;
  const etag = `"${file.etag}${zipped ? '-gzip' : ''}"`;
  const headers: Record<string, string> = {
    'content-type': file.type,
    // The build puts a hash of the content into the names of the assets.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': pagePolicy,
    'cross-origin-opener-policy': 'same-origin',
    etag,
    vary: 'accept-encoding',
  };
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return new Response(null, { status: 304, headers });
  const body = zipped ?? file.bytes;
  headers['content-length'] = String(body.byteLength);
  if (zipped) headers['content-encoding'] = 'gzip';
  return new Response(new Uint8Array(body), { headers });
}

function compress(file: StaticFile): Promise<Buffer | undefined> {
  const isText = /^(?:text|application\/(?:json|manifest))|svg|javascript/.test(file.type);
  file.compressed ??= isText
    ? promisify(gzip)(file.bytes, { level: 9 }).then((zipped) => (zipped.byteLength < file.bytes.byteLength ? zipped : undefined))
    : Promise.resolve(undefined);
  return file.compressed;
}

const respondMissing = (): Response =>
  new Response(
    'This build of cleo has no web page. Build it with: npm run build\nThe API is at /api, MCP at /mcp. See docs/guide/http.md.\n',
    { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } },
  );

/** Scripts and styles come from this server only, and no text can become a script: `trusted-types` allows one policy, for the address of the
 *  worker that lays out the graph. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types cleo',
].join('; ');

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
