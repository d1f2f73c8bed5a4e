import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clients, partKinds, type SetupPart } from './setup-clients.ts';
import { listPresentParts, planRemoval, planSetup, type SetupPlan, type SetupRecord } from './setup-plan.ts';

const allKinds = new Set<SetupPart['kind']>(partKinds);
const line = fc.constantFrom('# A', 'b = 1', '', '[t]', 'c = "d" # e', '- item', 'text');
const prose = fc
  .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, eol, isEnded]) => lines.join(eol) + (isEnded ? eol : ''));
const json = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom('a', 'mcpServers', 'servers', 'mcp', 'hooks'),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.constant({})),
      { maxKeys: 3 },
    ),
    fc.constantFrom('', '  ', '\t'),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff', '// mine\n', '/* mine */ '),
    fc.constantFrom('', '\n', ' // end'),
  )
  .map(([value, indent, eol, head, tail]) => head + JSON.stringify(value, null, indent).replaceAll('\n', eol) + tail);
const toml = fc
  .tuple(
    fc.constantFrom('', '\ufeff', 'model = "x"\n', '[mcp_servers.other]\r\ncommand = "y"', '# only a remark'),
    fc.constantFrom('', '\n'),
  )
  .map((parts) => parts.join(''));
const createText = (file: string): fc.Arbitrary<string> => (file.endsWith('.toml') ? toml : /\.json/.test(file) ? json : prose);

test.each(clients.map((client) => [client.title, client] as const))('%s: removing a setup restores any files', (_, client) => {
  const arbitraryFiles = fc.record(
    Object.fromEntries(client.parts.map(({ file }) => [file, fc.option(createText(file), { nil: undefined })])),
  );
  fc.assert(
    fc.property(arbitraryFiles, (before) => {
      const files: Record<string, string | undefined> = { ...before };
      const record: Record<string, SetupRecord | undefined> = {};
      const readText = (file: string): string | undefined => files[file];
      const setup = planSetup(client, readText, (file) => record[file], allKinds);
      expect(setup.conflicts).toEqual([]);
      for (const { file, text, record: entry } of setup.edits) {
        files[file] = text;
        record[file] = entry;
      }
      expect([...listPresentParts(client, readText)]).toEqual(expect.arrayContaining(['mcp', 'text']));
      expect(planSetup(client, readText, (file) => record[file], allKinds).edits).toEqual([]);
      for (const { file, text } of planRemoval(client, readText, (file) => record[file]).edits) files[file] = text;
      for (const file of Object.keys(files)) expect(files[file]).toBe(before[file]);
    }),
    { numRuns: 200 },
  );
});

test('reports an invalid file and plans no edit for it', () => {
  const claude = clients.find(({ name }) => name === 'claude')!;
  const plan = planSetup(
    claude,
    (file) => (file === '.mcp.json' ? '{' : undefined),
    () => undefined,
    allKinds,
  );
  expect(plan.conflicts).toEqual([{ file: '.mcp.json', problem: 'is not JSON: line 1: close brace expected' }]);
  expect(plan.edits.map(({ file }) => file)).not.toContain('.mcp.json');
});

describe('a file that setup owns', () => {
  const claude = clients.find(({ name }) => name === 'claude')!;
  const file = '.claude/agents/cleo-subagent.md';
  const ours = claude.parts.find((part) => part.file === file)!.content!;
  const kinds = new Set<SetupPart['kind']>(['agents']);
  const plan = (text: string | undefined, written?: SetupRecord) =>
    planSetup(
      claude,
      (each) => (each === file ? text : undefined),
      () => written,
      kinds,
    );
  const edit = (plan: SetupPlan) => plan.edits.find((each) => each.file === file);

  test('is created and updated', () => {
    const created = edit(plan(undefined));
    expect(created).toMatchObject({ text: ours, added: ours, record: { created: true } });
    const older = { created: true as const, inserted: { '': 'older' } };
    expect(edit(plan('older', older))).toMatchObject({ text: ours, record: { created: true, inserted: { '': ours } } });
    expect(edit(plan(ours, created!.record!))).toBeUndefined();
  });

  test('is kept if the user wrote or changed it', () => {
    expect(edit(plan('theirs'))).toBeUndefined();
    expect(plan('theirs').warnings).toEqual([`${file} was not written by cleo and is kept`]);
    expect(edit(plan('changed', { created: true, inserted: { '': ours } }))).toBeUndefined();
  });

  test('is removed only if it is unchanged', () => {
    const removal = (text: string, written?: SetupRecord) =>
      planRemoval(
        claude,
        (each) => (each === file ? text : undefined),
        () => written,
      );
    const written = { created: true as const, inserted: { '': ours } };
    expect(removal(ours, written).edits).toEqual([{ file, text: undefined }]);
    expect(removal('changed', written)).toMatchObject({ edits: [], warnings: [`${file} was changed and is kept`] });
    expect(removal('theirs').edits).toEqual([]);
    expect(removal(ours).edits).toEqual([]);
  });
});
