import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { surveyProject } from './survey.ts';

function folder(files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'cleo-survey-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), file);
  }
  return root;
}

test('names from the root, the nearest first, and the texts of those that tell something', () => {
  const root = folder(['src/deep/a.ts', 'package.json', 'README.md', '.github/workflows/ci.yml', 'packages/a/package.json']);
  expect(surveyProject(root)).toEqual({
    files: ['README.md', 'package.json', '.github/workflows/ci.yml', 'packages/a/package.json', 'src/deep/a.ts'],
    texts: new Map([
      ['package.json', 'package.json'],
      ['packages/a/package.json', 'packages/a/package.json'],
    ]),
    above: [],
  });
});

test('what others made, what a build made and what is checked out inside is passed by', () => {
  const root = folder([
    'a.go',
    'node_modules/b/package.json',
    'vendor/c.go',
    'x/target/d.rs',
    '.venv/lib/e.py',
    'sub/.git',
    'sub/package.json',
    'bin/rails',
    'x/bin/f',
  ]);
  expect(surveyProject(root).files).toEqual(['a.go', 'bin/rails']);
});

test('links, pipes, big files and closed folders hold nothing up', () => {
  const root = folder(['secret/package.json', 'closed/package.json', 'a.js']);
  const elsewhere = folder(['package.json']);
  symlinkSync(elsewhere, join(root, 'linked'));
  symlinkSync(join(elsewhere, 'package.json'), join(root, 'composer.json'));
  symlinkSync('..', join(root, 'loop'));
  execFileSync('mkfifo', [join(root, 'package.json')]);
  writeFileSync(join(root, 'pom.xml'), 'x'.repeat(600_000));
  chmodSync(join(root, 'closed'), 0o000);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
  const { files, texts } = surveyProject(root);
  expect(files.filter((path) => !path.startsWith('closed/'))).toEqual(['a.js', 'pom.xml', 'secret/package.json']);
  expect([...texts.keys()].filter((path) => !path.startsWith('closed/'))).toEqual(['secret/package.json']);
});

test('the lock file of a checkout that the project is a part of', () => {
  const root = folder(['.git/HEAD', 'yarn.lock', 'packages/a/package.json']);
  expect(surveyProject(join(root, 'packages', 'a')).above).toContain('../../yarn.lock');
  expect(surveyProject(join(folder(['yarn.lock', 'a/package.json']), 'a')).above).toEqual([]);
});

test('more files than it looks at: the top is seen, and it is over soon', () => {
  const root = folder(['package.json', ...Array.from({ length: 100 }, (_, i) => `d${i}/x/a.ts`)]);
  execFileSync('bash', ['-c', 'for d in d*/x; do (cd $d && printf "f%s.ts\\n" {1..300} | xargs -n 300 touch); done'], { cwd: root });
  const from = performance.now();
  const { files } = surveyProject(root);
  expect(files).toHaveLength(20_000);
  expect(files[0]).toBe('package.json');
  expect(performance.now() - from).toBeLessThan(5000);
});
