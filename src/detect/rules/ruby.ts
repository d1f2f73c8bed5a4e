import type { ProjectDir } from './facts.ts';
import { createHints, type DetectedPart, type TestCommand } from './part.ts';

export function detectRuby(dir: ProjectDir): DetectedPart | undefined {
  const from = dir.findFirst('Gemfile', 'gems.rb') ?? dir.files.find((path) => /^[^/]+\.gemspec$/.test(path));
  if (!from) return undefined;
  const isBundled = !from.endsWith('.gemspec');
  const inBundle = (command: string): string => (isBundled ? `bundle exec ${command}` : command);
  const gems = dir.files
    .filter((path) => /^(?:Gemfile|Gemfile\.lock|gems\.rb|[^/]+\.gemspec)$/.test(path))
    .map((path) => dir.readText(path) ?? '')
    .join('\n');
  const version = dir
    .readText('.ruby-version')
    ?.trim()
    .replace(/^ruby-/, '');
  return {
    from,
    packageManager: { name: isBundled ? 'bundler' : 'gem', from },
    test: findRubyTest(dir, gems, inBundle),
    hints: createHints(from, {
      install: isBundled && 'bundle install',
      lint: (dir.has('.rubocop.yml') || /\brubocop\b/.test(gems)) && (dir.has('bin/rubocop') ? 'bin/rubocop' : inBundle('rubocop')),
      typecheck: dir.has('sorbet/config') && inBundle('srb tc'),
      runtime: version && /^[\w.-]{1,20}$/.test(version) && `Ruby ${version}`,
    }),
  };
}

function findRubyTest(dir: ProjectDir, gems: string, inBundle: (command: string) => string): TestCommand | undefined {
  const spec = dir.has('.rspec') ? '.rspec' : dir.files.find((path) => /^spec\/.*_spec\.rb$/.test(path));
  if (spec && (dir.has('.rspec') || /\brspec\b/.test(gems))) return { framework: 'rspec', command: inBundle('rspec'), from: spec };
  const isRails = dir.has('config/application.rb');
  if (isRails && dir.files.some((path) => path.startsWith('test/')))
    return {
      framework: 'minitest',
      command: dir.has('bin/rails') ? 'bin/rails test' : inBundle('rails test'),
      from: 'config/application.rb',
    };
  const rake = dir.readText('Rakefile') ?? '';
  if (/TestTask|^\s*task\s+:?['"]?test\b|^\s*task\s*\(?\s*:?default\b[^\n]*\btest\b/m.test(rake))
    return {
      framework: /test-unit/.test(gems) ? 'test-unit' : 'minitest',
      command: inBundle('rake test'),
      from: 'Rakefile',
      isDeclared: true,
    };
  if (/RSpec::Core::RakeTask/.test(rake) || spec) return { framework: 'rspec', command: inBundle('rspec'), from: spec ?? 'Rakefile' };
  return undefined;
}
