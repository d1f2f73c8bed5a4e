/** Folders whose files are samples: they say nothing of what the project itself is. */
const samples = new Set([
  'fixtures',
  'fixture',
  '__fixtures__',
  'testdata',
  'test-data',
  'test_data',
  '__snapshots__',
  'snapshots',
  '__mocks__',
  'templates',
  'template',
  'examples',
  'example',
  'samples',
  'playground',
  'playgrounds',
]);

/** Folders that a project is not built of, whatever stands in them. */
const besides = new Set(['docs', 'doc', 'website', 'site', 'test', 'tests', 'spec', 'e2e', 'bench', 'benches', 'benchmarks', 'fuzz', 'ci']);

const partsOf = (path: string): string[] => path.split('/').slice(0, -1);

export const isFixture = (path: string): boolean => partsOf(path).some((part) => samples.has(part));
/** Whether a folder can be a part of its own without anybody saying so. */
export const isAside = (folder: string): boolean =>
  folder.split('/').some((part) => samples.has(part) || besides.has(part) || part.startsWith('.'));

const testNames =
  /(?:^|[._-])(?:test|tests|spec|e2e|cy)\.[cm]?[jt]sx?$|_test\.(?:go|py|rb|exs)$|^test_.*\.py$|Tests?\.(?:java|kt|cs|fs|php|groovy)$|_spec\.rb$/;
const testFolders = new Set(['test', 'tests', 'spec', '__tests__', 'e2e']);

/** Whether it holds tests, by its name or by the folder it lies in. */
export const isTestFile = (path: string): boolean => testNames.test(path.split('/').at(-1) ?? '') || testFolderOf(path) !== undefined;
export const isTestByName = (path: string): boolean => testNames.test(path.split('/').at(-1) ?? '');
/** The topmost folder of tests it lies in. */
export function testFolderOf(path: string): string | undefined {
  const parts = partsOf(path);
  const at = parts.findIndex((part) => testFolders.has(part));
  return at < 0 ? undefined : parts.slice(0, at + 1).join('/');
}
