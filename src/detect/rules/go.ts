import type { ProjectDir } from './facts.ts';
import { createHints, type DetectedPart, toPackage } from './part.ts';

export function detectGo(dir: ProjectDir): DetectedPart | undefined {
  const from = dir.findFirst('go.work', 'go.mod');
  if (!from) return undefined;
  const used = dir.has('go.work') ? parseGoWork(dir.readText('go.work') ?? '') : [];
  const lint = dir.findFirst('.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json');
  const version = /^go (\d+\.\d+(?:\.\d+)?)/m.exec(dir.readText(from) ?? '')?.[1];
  // In a workspace, `./...` matches only the modules below the current one.
  const patterns = used.length > 0 ? used.map((folder) => (folder === '' ? './...' : `./${folder}/...`)).join(' ') : './...';
  return {
    from,
    packageManager: { name: 'go', from },
    test: { framework: 'go test', command: `go test ${patterns}`, from },
    workspace:
      used.length > 1
        ? {
            tools: [{ name: 'go workspace', from: 'go.work' }],
            packages: used.map((folder) =>
              toPackage(folder, /^module (\S+)/m.exec(dir.readText(folder === '' ? 'go.mod' : `${folder}/go.mod`) ?? '')?.[1]),
            ),
          }
        : undefined,
    hints: [
      ...createHints(from, {
        build: `go build ${patterns}`,
        lint: lint ? undefined : `go vet ${patterns}`,
        format: 'gofmt -l .',
        runtime: version && `Go ${version}`,
      }),
      ...createHints(lint, { lint: 'golangci-lint run' }),
    ],
  };
}

/** Lists the folders of a workspace, relative to its file. */
function parseGoWork(text: string): string[] {
  const clean = text.replace(/\/\/.*$/gm, '');
  const blocks = [...clean.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, body]) => (body ?? '').split('\n'));
  const single = [...clean.matchAll(/^use\s+([^(\s]\S*)/gm)].map(([, path]) => path ?? '');
  return [...new Set([...blocks, ...single].map((path) => path.trim().replace(/^"|"$/g, '')))]
    .slice(0, 30)
    .filter((path) => path !== '' && !path.startsWith('..') && /^[\w./@-]{1,100}$/.test(path))
    .map((path) => path.replace(/^\.\/?/, '').replace(/\/$/, ''));
}
