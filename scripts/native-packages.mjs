// Writes the npm packages and the files to download of the native build. Nothing is published.
//   node scripts/native-packages.mjs [TARGET] [--from FOLDER] [--scope @NAME]
// TARGET (dist-packages/) gets `cleo-native`, one package per platform, and `download/` with SHA256SUMS. FOLDER contains executables named
// cleo-<platform>, such as cleo-darwin-arm64 and cleo-win32-x64.exe; without it, the build of this machine in dist-native/ is used.
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { executableName, findPlatform, nativePlatforms, toPlatformName } from './find-bun.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, scope: { type: 'string', default: '@cleo' } },
});
const target = resolve(root, positionals[0] ?? 'dist-packages');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const own = findPlatform();

const builds = nativePlatforms
  .map((platform) => ({ ...platform, name: toPlatformName(platform), suffix: platform.os === 'win32' ? '.exe' : '' }))
  .map((build) => ({ ...build, source: findSource(build) }))
  .filter(({ source }) => existsSync(source));
if (builds.length === 0) {
  console.error('There is no executable. Run: npm run build:native');
  process.exit(1);
}

rmSync(target, { recursive: true, force: true });
const sums = builds.map(writePlatformPackage);
writeFileSync(join(target, 'download', 'SHA256SUMS'), sums.join(''));
writeMainPackage();

function findSource({ name, suffix, ...platform }) {
  if (values.from) return resolve(values.from, `cleo-${name}${suffix}`);
  return own && toPlatformName(platform) === toPlatformName(own) ? join(root, 'dist-native', executableName) : '';
}

/** Writes the package and the download of a platform. Returns its line of SHA256SUMS. */
function writePlatformPackage({ name, suffix, source, os, cpu, libc }) {
  const folder = join(target, ...toPackageName(name).split('/'));
  const executable = join(folder, `cleo${suffix}`);
  const download = join(target, 'download', `cleo-${name}${suffix}`);
  for (const file of [executable, download]) {
    mkdirSync(join(file, '..'), { recursive: true });
    copyFileSync(source, file);
    chmodSync(file, 0o755);
  }
  writePackage(folder, {
    name: toPackageName(name),
    description: `The executable of cleo for ${name}`,
    os: [os],
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
    files: [`cleo${suffix}`, 'THIRD-PARTY.txt'],
    preferUnplugged: true,
  });
  return `${createHash('sha256').update(readFileSync(source)).digest('hex')}  cleo-${name}${suffix}\n`;
}

/** Writes the package that users install. It depends on all platform packages, of which npm installs the one that fits. */
function writeMainPackage() {
  const folder = join(target, 'cleo-native');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const [from, to] of [
    ['launch.cjs', join('bin', 'cleo')],
    ['find.cjs', 'find.cjs'],
    ['install.cjs', 'install.cjs'],
  ])
    copyFileSync(join(root, 'scripts', 'native-package', from), join(folder, to));
  chmodSync(join(folder, 'bin', 'cleo'), 0o755);
  const platforms = builds.map(({ name, suffix, os, cpu, libc }) => ({
    os,
    cpu,
    libc,
    package: toPackageName(name),
    file: `${toPackageName(name)}/cleo${suffix}`,
  }));
  writeFileSync(join(folder, 'platforms.json'), `${JSON.stringify({ platforms }, null, 2)}\n`);
  writePackage(folder, {
    name: 'cleo-native',
    description: 'The task protocol for AI coding agents, as an executable that needs no Node to run',
    bin: { cleo: 'bin/cleo', ct: 'bin/cleo' },
    scripts: { postinstall: 'node install.cjs' },
    files: ['bin', '*.cjs', 'platforms.json', 'THIRD-PARTY.txt'],
    optionalDependencies: Object.fromEntries(builds.map(({ name }) => [toPackageName(name), version])),
  });
}

function toPackageName(name) {
  return `${values.scope}/cleo-${name}`;
}

function writePackage(folder, more) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ version, license, ...more }, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const licenses = join(root, 'dist', 'THIRD-PARTY.txt');
  if (existsSync(licenses)) copyFileSync(licenses, join(folder, 'THIRD-PARTY.txt'));
}
