import { getAtPath, type ProjectDir, readJsonFile, toTable } from './facts.ts';
import { createHints, type DetectedPart, type TestCommand } from './part.ts';

export function detectPhp(dir: ProjectDir): DetectedPart | undefined {
  if (!dir.has('composer.json')) return undefined;
  const manifest = readJsonFile(dir, 'composer.json');
  const packages = { ...toTable(manifest.require), ...toTable(manifest['require-dev']) };
  const scripts = toTable(manifest.scripts);
  const findScript = (...names: string[]): string | undefined => names.find((name) => Object.hasOwn(scripts, name));
  const style = findScript('lint', 'cs', 'cs-check', 'check-style');
  const analysis = findScript('phpstan', 'analyse', 'analyze', 'stan', 'types', 'psalm');
  const isAnalysed = 'phpstan/phpstan' in packages || 'larastan/larastan' in packages;
  const version = getAtPath(manifest, 'require', 'php');
  return {
    from: 'composer.json',
    packageManager: { name: 'composer', from: dir.has('composer.lock') ? 'composer.lock' : 'composer.json' },
    test: findPhpTest(dir, packages, scripts),
    hints: createHints('composer.json', {
      install: 'composer install',
      lint: style
        ? `composer run ${style}`
        : 'laravel/pint' in packages
          ? 'vendor/bin/pint --test'
          : 'friendsofphp/php-cs-fixer' in packages && 'vendor/bin/php-cs-fixer check',
      typecheck: analysis ? `composer run ${analysis}` : isAnalysed && 'vendor/bin/phpstan analyse',
      runtime: typeof version === 'string' && version && `PHP ${version}`,
    }),
  };
}

function findPhpTest(dir: ProjectDir, packages: Record<string, unknown>, scripts: Record<string, unknown>): TestCommand | undefined {
  const from = 'composer.json';
  const config = dir.findFirst('phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml');
  const framework =
    'pestphp/pest' in packages
      ? 'pest'
      : config || 'phpunit/phpunit' in packages || 'symfony/phpunit-bridge' in packages
        ? 'phpunit'
        : 'codeception/codeception' in packages
          ? 'codeception'
          : undefined;
  if (Object.hasOwn(scripts, 'test')) return { framework, command: 'composer test', from, isDeclared: true };
  if (!framework) return undefined;
  if (dir.has('artisan')) return { framework, command: 'php artisan test', from: 'artisan' };
  if (dir.has('bin/phpunit')) return { framework, command: 'php bin/phpunit', from: 'bin/phpunit' };
  const binary = { pest: 'pest', phpunit: 'phpunit', codeception: 'codecept run' }[framework];
  return { framework, command: `vendor/bin/${binary}`, from: config ?? from };
}
