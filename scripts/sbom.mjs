// Describes the packages whose code is in dist/ as a CycloneDX document. It contains no time and no random serial number, so that the
// same sources give the same file.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates the document. `bundled` are paths like `node_modules/hono`; run-time dependencies of package.json are listed too. */
export function createSbom(root, bundled) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const own = read('package.json');
  const lock = existsSync(join(root, 'package-lock.json')) ? read('package-lock.json').packages : {};
  const installed = Object.keys(own.dependencies ?? {}).map((name) => `node_modules/${name}`);
  const components = [
    ...bundled.map((path) => toComponent(read(`${path}/package.json`), lock[path]?.integrity, true)),
    ...installed.map((path) => toComponent(read(`${path}/package.json`), lock[path]?.integrity, false)),
  ].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const { name, version, license, description } = own;
  const ref = toPurl(name, version);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': ref, name, version, description, purl: ref, licenses: toLicenses(license) } },
    components,
    dependencies: [{ ref, dependsOn: components.map(({ purl }) => purl) }, ...components.map(({ purl }) => ({ ref: purl }))],
  };
}

function toComponent({ name, version, license }, integrity, isBundled) {
  const purl = toPurl(name, version);
  const [group, ...rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group ? { group } : {}),
    name: rest.join('/'),
    version,
    scope: 'required',
    // The hash of the archive in the registry, as in the lock file.
    ...(integrity?.startsWith('sha512-')
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }] }
      : {}),
    ...(license ? { licenses: toLicenses(license) } : {}),
    purl,
    properties: [{ name: 'cleo:bundled', value: String(isBundled) }],
  };
}

const toLicenses = (license) => (/[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]);
const toPurl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
