import { quote } from '#core/errors/catalog.ts';
import type { ProjectDir } from './facts.ts';
import { createHints, type DetectedPart, matchFirst } from './part.ts';

const solutionPattern = /^[^/]+\.(?:sln|slnx)$/;
const projectPattern = /\.(?:cs|fs|vb)proj$/;

export function detectDotnet(dir: ProjectDir): DetectedPart | undefined {
  const own = dir.files.filter((path) => solutionPattern.test(path) || (projectPattern.test(path) && !path.includes('/')));
  const nested = dir.files.filter((path) => /^[^/]+\/[^/]+\.(?:sln|slnx)$/.test(path));
  const testProjects = dir.files.filter((path) => projectPattern.test(path) && /(?:tests?|specs?)\.(?:cs|fs|vb)proj$/i.test(path));
  const all = dir.files.filter((path) => projectPattern.test(path));
  const from = own[0] ?? dir.findFirst('global.json', 'Directory.Build.props') ?? (dir.path === '' ? (nested[0] ?? all[0]) : undefined);
  if (!from || all.length === 0) return undefined;
  const solution = own.filter((path) => solutionPattern.test(path));
  // If a folder contains several projects, the command must name one.
  const target =
    own.length === 1 || (own.length === 0 && nested.length === 0 && testProjects.length === 0)
      ? ''
      : ` ${quote(solution[0] ?? own[0] ?? nested[0] ?? testProjects[0] ?? '.')}`;
  const texts = [...testProjects, ...all, 'Directory.Packages.props', 'Directory.Build.props']
    .map((path) => dir.readText(path) ?? '')
    .join('\n');
  const framework = matchFirst(texts, [
    [/"xunit/i, 'xunit'],
    [/"NUnit"/i, 'nunit'],
    [/"MSTest/i, 'mstest'],
    [/"TUnit"/i, 'tunit'],
  ]);
  const version = /<TargetFrameworks?>([^<]+)</.exec(texts)?.[1];
  return {
    from,
    packageManager: { name: 'nuget', from },
    test: { framework, command: `dotnet test${target}`, from: testProjects[0] ?? from },
    hints: createHints(from, {
      build: `dotnet build${target}`,
      format: `dotnet format${target} --verify-no-changes`,
      runtime: version && `.NET ${version.trim()}`,
    }),
  };
}
