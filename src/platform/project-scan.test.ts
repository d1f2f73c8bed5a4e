import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scanProject } from './project-scan.ts';

function createFolder(files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'cleo-scan-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), file);
  }
  return root;
}

test('lists names breadth-first and reads the manifests', () => {
  const root = createFolder(['src/deep/a.ts', 'package.json', 'README.md', '.github/workflows/ci.yml', 'packages/a/package.json']);
  expect(scanProject(root)).toEqual({
    files: ['README.md', 'package.json', '.github/workflows/ci.yml', 'packages/a/package.json', 'src/deep/a.ts'],
    texts: new Map([
      ['package.json', 'package.json'],
      ['packages/a/package.json', 'packages/a/package.json'],
    ]),
    above: [],
  });
});

test('skips dependencies, build output and nested checkouts', () => {
  const root = createFolder([
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
  expect(scanProject(root).files).toEqual(['a.go', 'bin/rails']);
});

test('skips links, pipes, large files and unreadable folders', () => {
  const root = createFolder(['secret/package.json', 'closed/package.json', 'a.js']);
  const elsewhere = createFolder(['package.json']);
  symlinkSync(elsewhere, join(root, 'linked'));
  symlinkSync(join(elsewhere, 'package.json'), join(root, 'composer.json'));
  symlinkSync('..', join(root, 'loop'));
  execFileSync('mkfifo', [join(root, 'package.json')]);
  writeFileSync(join(root, 'pom.xml'), 'x'.repeat(600_000));
  chmodSync(join(root, 'closed'), 0o000);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
  const { files, texts } = scanProject(root);
  expect(files.filter((path) => !path.startsWith('closed/'))).toEqual(['a.js', 'pom.xml', 'secret/package.json']);
  expect([...texts.keys()].filter((path) => !path.startsWith('closed/'))).toEqual(['secret/package.json']);
});

test('lists the files of parent folders inside a checkout', () => {
  const root = createFolder(['.git/HEAD', 'yarn.lock', 'packages/a/package.json']);
  expect(scanProject(join(root, 'packages', 'a')).above).toContain('../../yarn.lock');
  expect(scanProject(join(createFolder(['yarn.lock', 'a/package.json']), 'a')).above).toEqual([]);
});

test('stops at the file limit, with the top folders first', () => {
  const root = createFolder(['package.json', ...Array.from({ length: 100 }, (_, i) => `d${i}/x/a.ts`)]);
  execFileSync('bash', ['-c', 'for d in d*/x; do (cd $d && printf "f%s.ts\\n" {1..300} | xargs -n 300 touch); done'], { cwd: root });
  const from = performance.now();
  const { files } = scanProject(root);
  expect(files).toHaveLength(20_000);
  expect(files[0]).toBe('package.json');
  expect(performance.now() - from).toBeLessThan(5000);
});
