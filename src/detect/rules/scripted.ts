import { dig, jsonIn, type Place, table } from './facts.ts';
import { hints, type Part, type Test } from './part.ts';

export function rubyPart(place: Place): Part | undefined {
  const from = place.first('Gemfile', 'gems.rb') ?? place.files.find((path) => /^[^/]+\.gemspec$/.test(path));
  if (!from) return undefined;
  const isBundled = !from.endsWith('.gemspec');
  const within = (command: string): string => (isBundled ? `bundle exec ${command}` : command);
  const needs = place.files
    .filter((path) => /^(?:Gemfile|Gemfile\.lock|gems\.rb|[^/]+\.gemspec)$/.test(path))
    .map((path) => place.text(path) ?? '')
    .join('\n');
  const version = place
    .text('.ruby-version')
    ?.trim()
    .replace(/^ruby-/, '');
  const test = rubyTest(place, needs, within);
  return {
    type: 'ruby',
    folder: place.folder,
    from: place.at(from),
    packageManager: isBundled ? { name: 'bundler', from: place.at(from) } : { name: 'gem', from: place.at(from) },
    ...(test ? { test } : {}),
    hints: hints(place, from, {
      install: isBundled && 'bundle install',
      lint: (place.has('.rubocop.yml') || /\brubocop\b/.test(needs)) && (place.has('bin/rubocop') ? 'bin/rubocop' : within('rubocop')),
      typecheck: place.has('sorbet/config') && within('srb tc'),
      runtime: version && /^[\w.-]{1,20}$/.test(version) ? `Ruby ${version}` : undefined,
    }),
  };
}

function rubyTest(place: Place, needs: string, within: (command: string) => string): Test | undefined {
  const spec = place.has('.rspec') ? '.rspec' : place.files.find((path) => /^spec\/.*_spec\.rb$/.test(path));
  if (spec && (place.has('.rspec') || /\brspec\b/.test(needs)))
    return { framework: 'rspec', command: within('rspec'), from: place.at(spec) };
  const isRails = place.has('config/application.rb');
  if (isRails && place.files.some((path) => path.startsWith('test/')))
    return {
      framework: 'minitest',
      command: place.has('bin/rails') ? 'bin/rails test' : within('rails test'),
      from: place.at('config/application.rb'),
    };
  const rake = place.text('Rakefile') ?? '';
  if (/TestTask|^\s*task\s+:?['"]?test\b|^\s*task\s*\(?\s*:?default\b[^\n]*\btest\b/m.test(rake))
    return {
      framework: /test-unit/.test(needs) ? 'test-unit' : 'minitest',
      command: within('rake test'),
      from: place.at('Rakefile'),
      isDeclared: true,
    };
  if (/RSpec::Core::RakeTask/.test(rake) || spec)
    return { framework: 'rspec', command: within('rspec'), from: place.at(spec ?? 'Rakefile') };
  return undefined;
}

export function phpPart(place: Place): Part | undefined {
  if (!place.has('composer.json')) return undefined;
  const manifest = jsonIn(place, 'composer.json');
  const needs = { ...table(manifest.require), ...table(manifest['require-dev']) };
  const scripts = table(manifest.scripts);
  const script = (...names: string[]): string | undefined => names.find((name) => Object.hasOwn(scripts, name));
  const test = phpTest(place, needs, scripts);
  const style = script('lint', 'cs', 'cs-check', 'check-style');
  const analysis = script('phpstan', 'analyse', 'analyze', 'stan', 'types', 'psalm');
  const isAnalysed = 'phpstan/phpstan' in needs || 'larastan/larastan' in needs;
  const version = dig(manifest, 'require', 'php');
  return {
    type: 'php',
    folder: place.folder,
    from: place.at('composer.json'),
    packageManager: { name: 'composer', from: place.at(place.has('composer.lock') ? 'composer.lock' : 'composer.json') },
    ...(test ? { test } : {}),
    hints: hints(place, 'composer.json', {
      install: 'composer install',
      lint: style
        ? `composer run ${style}`
        : 'laravel/pint' in needs
          ? 'vendor/bin/pint --test'
          : 'friendsofphp/php-cs-fixer' in needs
            ? 'vendor/bin/php-cs-fixer check'
            : undefined,
      typecheck: analysis ? `composer run ${analysis}` : isAnalysed ? 'vendor/bin/phpstan analyse' : undefined,
      runtime: typeof version === 'string' && version ? `PHP ${version}` : undefined,
    }),
  };
}

function phpTest(place: Place, needs: Record<string, unknown>, scripts: Record<string, unknown>): Test | undefined {
  const from = place.at('composer.json');
  const config = place.first('phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml');
  const framework =
    'pestphp/pest' in needs
      ? 'pest'
      : config || 'phpunit/phpunit' in needs || 'symfony/phpunit-bridge' in needs
        ? 'phpunit'
        : 'codeception/codeception' in needs
          ? 'codeception'
          : undefined;
  if (Object.hasOwn(scripts, 'test')) return { framework, command: 'composer test', from, isDeclared: true };
  if (!framework) return undefined;
  if (place.has('artisan')) return { framework, command: 'php artisan test', from: place.at('artisan') };
  if (place.has('bin/phpunit')) return { framework, command: 'php bin/phpunit', from: place.at('bin/phpunit') };
  const binary = { pest: 'pest', phpunit: 'phpunit', codeception: 'codecept run' }[framework];
  return { framework, command: `vendor/bin/${binary}`, from: config ? place.at(config) : from };
}
