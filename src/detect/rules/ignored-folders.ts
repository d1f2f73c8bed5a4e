/** Folders of samples, which do not belong to the project itself. */
const sampleFolders = new Set(
  'fixtures fixture __fixtures__ testdata test-data test_data __snapshots__ snapshots __mocks__ templates template examples example samples playground playgrounds'.split(
    ' ',
  ),
);

/** Folders that are not parts of their own, even if they contain a manifest. */
const nonSourceFolders = new Set('docs doc website site test tests spec e2e bench benches benchmarks fuzz ci'.split(' '));

const splitFolders = (path: string): string[] => path.split('/').slice(0, -1);

export const isFixture = (path: string): boolean => splitFolders(path).some((part) => sampleFolders.has(part));
/** Applies to folders that no workspace lists. */
export const isIgnoredFolder = (folder: string): boolean =>
  folder.split('/').some((part) => sampleFolders.has(part) || nonSourceFolders.has(part) || part.startsWith('.'));

const testNames =
  /(?:^|[._-])(?:test|tests|spec|e2e|cy)\.[cm]?[jt]sx?$|_test\.(?:go|py|rb|exs)$|^test_.*\.py$|Tests?\.(?:java|kt|cs|fs|php|groovy)$|_spec\.rb$/;
const testFolders = new Set(['test', 'tests', 'spec', '__tests__', 'e2e']);

export const isTestFile = (path: string): boolean => isTestByName(path) || findTestFolder(path) !== undefined;
export const isTestByName = (path: string): boolean => testNames.test(path.split('/').at(-1) ?? '');
/** Returns the topmost test folder that contains the file. */
export function findTestFolder(path: string): string | undefined {
  const parts = splitFolders(path);
  const at = parts.findIndex((part) => testFolders.has(part));
  return at < 0 ? undefined : parts.slice(0, at + 1).join('/');
}
