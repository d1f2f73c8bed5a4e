import { getAtPath, type ProjectDir, readJsonFile, toTable } from './facts.ts';
import { createHints, type DetectedPart, type TestCommand } from './part.ts';

export function detectPhp(dir: ProjectDir): DetectedPart | undefined {
  if (!dir.has('composer.json')) return undefined;
  const manifest = readJsonFile(dir, 'composer.json');
  const packages = { ...toTable(manifest.require), ...toTable(manifest['require-dev']) };
  const scripts = toTable(manifest.scripts);
  const findScript = (...names: string[]): string | undefined => names.find((name) => Object.hasOwn(scripts, name));
  const test = findPhpTest(dir, packages, scripts);
  const style = findScript('lint', 'cs', 'cs-check', 'check-style');
  const analysis = findScript('phpstan', 'analyse', 'analyze', 'stan', 'types', 'psalm');
  const isAnalysed = 'phpstan/phpstan' in packages || 'larastan/larastan' in packages;
  const version = getAtPath(manifest, 'require', 'php');
  return {
    type: 'php',
    folder: dir.path,
    from: dir.toPath('composer.json'),
    packageManager: { name: 'composer', from: dir.toPath(dir.has('composer.lock') ? 'composer.lock' : 'composer.json') },
    test,
    hints: createHints(dir, 'composer.json', {
      install: 'composer install',
      lint: style
        ? `composer run ${style}`
        : 'laravel/pint' in packages
          ? 'vendor/bin/pint --test'
          : 'friendsofphp/php-cs-fixer' in packages
            ? 'vendor/bin/php-cs-fixer check'
            : undefined,
      typecheck: analysis ? `composer run ${analysis}` : isAnalysed ? 'vendor/bin/phpstan analyse' : undefined,
      runtime: typeof version === 'string' && version ? `PHP ${version}` : undefined,
    }),
  };
}

function findPhpTest(dir: ProjectDir, packages: Record<string, unknown>, scripts: Record<string, unknown>): TestCommand | undefined {
  const from = dir.toPath('composer.json');
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
  if (dir.has('artisan')) return { framework, command: 'php artisan test', from: dir.toPath('artisan') };
  if (dir.has('bin/phpunit')) return { framework, command: 'php bin/phpunit', from: dir.toPath('bin/phpunit') };
  const binary = { pest: 'pest', phpunit: 'phpunit', codeception: 'codecept run' }[framework];
  return { framework, command: `vendor/bin/${binary}`, from: config ? dir.toPath(config) : from };
}
