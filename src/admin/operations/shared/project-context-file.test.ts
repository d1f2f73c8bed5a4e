import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectContextFile } from '#detect/model/project-context.ts';
import { asPerson, openApp } from '../../../../test/app.ts';
import { createEmptyFolder, type TestFolder } from '../../../../test/folder.ts';

const createManifest = (scripts: object) => JSON.stringify({ scripts });
const readContext = ({ root }: TestFolder) => JSON.parse(readFileSync(join(root, projectContextFile), 'utf8'));

test('init --detect creates a project and its context, and updates the context only after a change', async () => {
  const folder = createEmptyFolder();
  writeFileSync(join(folder.root, 'package.json'), createManifest({ test: 'node --test' }));
  const first = await folder.cli(['init', '--detect']);
  expect(first.exitCode).toBe(0);
  expect(first.envelope).toMatchObject({
    project: { created: true },
    files: [{ file: projectContextFile, change: 'created' }],
    detected: { type: 'node', testing: { framework: 'node:test', command: 'npm test', from: 'package.json' } },
  });
  expect(readContext(folder)).toEqual(first.envelope.detected);
  const again = await folder.cli(['init', '--detect']);
  expect(again).toMatchObject({ exitCode: 101, envelope: { files: [], detected: { type: 'node' } } });

  writeFileSync(join(folder.root, 'pnpm-lock.yaml'), '');
  const changed = await folder.cli(['init', '--detect']);
  expect(changed).toMatchObject({ exitCode: 0, envelope: { files: [{ change: 'updated' }] } });
  expect(readContext(folder).testing.command).toBe('pnpm test');
  expect((await folder.cli(['init'])).exitCode).toBe(101);
});

test('doctor reports a damaged context file with a fix', async () => {
  const folder = createEmptyFolder();
  await folder.cli(['init', '--detect']);
  for (const text of ['{"type":', '{"type":"cobol"}', '[]']) {
    writeFileSync(join(folder.root, projectContextFile), text);
    const { findings } = (await folder.cli(['doctor'])).envelope;
    expect(findings).toMatchObject([{ check: 'files', severity: 'warning', fix: 'cleo init --detect' }]);
    expect((await folder.cli(findings[0].fix)).exitCode).toBe(0);
    expect((await folder.cli(['doctor'])).envelope.findings).toEqual([]);
  }
});

test('does not write through a link that leaves the project', async () => {
  const folder = createEmptyFolder();
  await folder.cli(['init']);
  const outside = join(folder.root, '..', 'outside.json');
  writeFileSync(outside, 'mine');
  symlinkSync(outside, join(folder.root, projectContextFile));
  const refused = await folder.cli(['init', '--detect']);
  expect(refused).toMatchObject({ exitCode: 8, envelope: { error: { code: 'E_PROJECT_UNTRUSTED' } } });
  expect(refused.envelope.error.message).toContain(`${projectContextFile} is a link to ${outside}`);
  expect(readFileSync(outside, 'utf8')).toBe('mine');
  rmSync(join(folder.root, projectContextFile));
  expect((await folder.cli(['init', '--detect'])).exitCode).toBe(0);
});

test('uses detected tests as the tool test, unless the settings name another', async () => {
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'] });
  const verify = () => app.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' });
  const unknown = await verify();
  expect(unknown.error).toMatchObject({ exitCode: 41, alternatives: [{}, {}, { command: 'cleo init --detect' }] });
  writeFileSync(join(app.root, 'Makefile'), 'test:\n\t@exit 7\n');
  expect((await app.cli(unknown.error.alternatives[2].command)).exitCode).toBe(0);
  expect((await app.call('verify.status', { taskId: 'T001' })).verification.tools).toEqual(['test']);
  expect((await verify()).error).toMatchObject({ exitCode: 41, message: expect.stringContaining('tool test exited with 2') });
  writeFileSync(join(app.root, 'Makefile'), 'test:\n\t@:\n');
  expect(await verify()).toMatchObject({ verification: { evidence: [{ kind: 'tool', name: 'test', exitCode: 0 }] } });
  await app.cli(['config', 'set', 'verification.tools.test', JSON.stringify([process.execPath, '-e', 'process.exit(1)'])], asPerson);
  expect((await verify()).error).toMatchObject({ message: expect.stringContaining('tool test exited with 1') });
});

test('spawn prompts contain the detected commands', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001: Parse'], config: { lifecycleEnforcement: { mode: 'off' } } });
  const prompt = async (): Promise<string> => (await app.call('orchestrate.spawn', { inline: true, taskId: 'T002' })).spawn.prompt;
  expect(await prompt()).not.toContain('Commands of the project');
  writeFileSync(join(app.root, 'package.json'), createManifest({ test: 'vitest run', lint: 'biome check' }));
  await app.cli(['init', '--detect']);
  expect(await prompt()).toContain('\n- Commands of the project: tests `npm test` (`vitest`); lint `npm run lint`.\n');
});
