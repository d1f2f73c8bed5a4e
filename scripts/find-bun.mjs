import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The platforms of the native build: as Node names them, and as Bun's packages do. Those with musl are for Linux without glibc. */
export const nativePlatforms = [
  { os: 'darwin', cpu: 'arm64', bun: 'darwin-aarch64' },
  { os: 'darwin', cpu: 'x64', bun: 'darwin-x64' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc', bun: 'linux-aarch64' },
  { os: 'linux', cpu: 'arm64', libc: 'musl', bun: 'linux-aarch64-musl' },
  { os: 'linux', cpu: 'x64', libc: 'glibc', bun: 'linux-x64' },
  { os: 'linux', cpu: 'x64', libc: 'musl', bun: 'linux-x64-musl' },
  { os: 'win32', cpu: 'arm64', bun: 'windows-aarch64' },
  { os: 'win32', cpu: 'x64', bun: 'windows-x64' },
];

/** The name of a platform in file names: `linux-x64`, `linux-x64-musl`, `win32-arm64`. */
export const toPlatformName = ({ os, cpu, libc }) => `${os}-${cpu}${libc === 'musl' ? '-musl' : ''}`;

/** Returns the platform of this machine, or undefined if Bun does not support it. */
export function findPlatform() {
  const { platform, arch } = process;
  const libc = platform === 'linux' ? (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl') : undefined;
  return nativePlatforms.find(({ os, cpu, libc: needed }) => os === platform && cpu === arch && needed === libc);
}

/** Returns the path of Bun, or undefined if its package is not installed. */
export function findBun() {
  const platform = findPlatform();
  if (!platform) return undefined;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@oven/bun-${platform.bun}/package.json`));
    const path = join(folder, 'bin', platform.os === 'win32' ? 'bun.exe' : 'bun');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The file name of the native build. */
export const executableName = process.platform === 'win32' ? 'cleo.exe' : 'cleo';
