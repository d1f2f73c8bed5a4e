import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from './app.ts';
import { dist, root } from './faults/processes.ts';

const readJson = (...path: string[]): Json => JSON.parse(readFileSync(join(...path), 'utf8'));
const lock = readJson(root, 'package-lock.json').packages as Record<string, { integrity?: string; resolved?: string; optional?: boolean }>;
/** Folders of this repository that are installed as packages. */
const ownPackages = ['', 'scripts/bun', 'node_modules/cleo-bun'];

/** Binaries of development tools for other platforms. npm records no hash of a package that it did not download. */
const withoutIntegrity = [
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl', 'linux-x64-musl'].map(
    (platform) => `@biomejs/cli-${platform}`,
  ),
  ...['win32-arm64', 'win32-x64'].map((platform) => `@biomejs/cli-${platform}`),
  ...['android-arm-eabi', 'android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf', 'linux-arm64-gnu'].map(
    (platform) => `@rolldown/binding-${platform}`,
  ),
  ...['linux-arm64-musl', 'linux-ppc64-gnu', 'linux-s390x-gnu', 'linux-x64-musl', 'openharmony-arm64', 'wasm32-wasi'].map(
    (platform) => `@rolldown/binding-${platform}`,
  ),
  ...['win32-arm64-msvc', 'win32-x64-msvc'].map((platform) => `@rolldown/binding-${platform}`),
];

test('every package of the lock file has a hash, except the named ones', () => {
  const missing = Object.entries(lock).filter(([path, { integrity }]) => !ownPackages.includes(path) && !integrity);
  const names = missing.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => !withoutIntegrity.includes(name))).toEqual([]);
  // The exceptions are optional, so that none of them is part of the package.
  expect(missing.filter(([, { optional }]) => !optional)).toEqual([]);
  const hashes = Object.values(lock).flatMap(({ integrity }) => integrity ?? []);
  expect(hashes.filter((hash) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(hash))).toEqual([]);
});

const sbom = readJson(dist, 'sbom.cdx.json');
const components = sbom.components as Json[];
const getName = ({ group, name }: Json): string => (group ? `${group}/${name}` : name);
const isBundled = ({ properties }: Json): boolean =>
  properties.some(({ name, value }: Json) => name === 'cleo:bundled' && value === 'true');

test('the package contains an SBOM in the form of CycloneDX', () => {
  const own = readJson(root, 'package.json');
  expect(own.files).toContain('dist');
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'cleo', version: own.version, purl: `pkg:npm/cleo@${own.version}` } },
  });
  const refs = components.map((component) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  for (const component of components) {
    const { type, name, version, purl, hashes, licenses } = component;
    expect({ type, name, version, purl }).toEqual({
      type: 'library',
      name: expect.stringMatching(/^[a-z0-9._-]+$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      purl: `pkg:npm/${getName(component).replace('@', '%40')}@${version}`,
    });
    expect(hashes, purl).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    expect(licenses, purl).toHaveLength(1);
  }
  expect(sbom.dependencies[0]).toEqual({ ref: sbom.metadata.component['bom-ref'], dependsOn: refs });
});

test('the SBOM lists what is in dist, with the installed versions and the hashes of the lock file', () => {
  const bundled = components.filter(isBundled).map(getName);
  const licensed = [...readFileSync(join(dist, 'THIRD-PARTY.txt'), 'utf8').matchAll(/^(\S+) \d\S* \([^)]+\)$/gm)].map(([, name]) => name);
  expect(bundled.sort()).toEqual(licensed.sort());
  for (const component of components) {
    const path = `node_modules/${getName(component)}`;
    expect(component.version).toBe(readJson(root, path, 'package.json').version);
    const content = Buffer.from(lock[path]!.integrity!.replace('sha512-', ''), 'base64').toString('hex');
    expect(component.hashes[0].content).toBe(content);
  }
  // Every package that the sources import, and nothing that neither they nor a listed package need.
  const imported = [...listImports(join(root, 'src')), ...listImports(join(root, 'web', 'src'))];
  const listed = components.map(getName);
  expect(imported.filter((name) => !listed.includes(name))).toEqual([]);
  const needed = new Set([...imported, ...Object.keys(readJson(root, 'package.json').dependencies)]);
  for (const name of needed) {
    const { dependencies = {}, peerDependencies = {} } = readJson(root, 'node_modules', name, 'package.json');
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) if (listed.includes(other)) needed.add(other);
  }
  expect(listed.filter((name) => !needed.has(name))).toEqual([]);
});

/** Lists the packages that the files of a folder import at run time. */
function listImports(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'),
  );
  const names = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^'.#][^']*)'/gm)].map(
      ([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0],
    ),
  );
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).sort();
}
