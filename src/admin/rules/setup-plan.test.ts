import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clients, type Piece, pieceKinds } from './setup-clients.ts';
import { type Plan, planRemoval, planSetup, setUpParts, type Written } from './setup-plan.ts';

const everything = new Set<Piece['what']>(pieceKinds);
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
const textOf = (file: string): fc.Arbitrary<string> => (file.endsWith('.toml') ? toml : /\.json/.test(file) ? json : prose);

test.each(clients.map((client) => [client.title, client] as const))(
  '%s: any files are the same when it was set up and taken out',
  (_, client) => {
    const files = fc.record(Object.fromEntries(client.pieces.map(({ file }) => [file, fc.option(textOf(file), { nil: undefined })])));
    fc.assert(
      fc.property(files, (before) => {
        const now: Record<string, string | undefined> = { ...before };
        const record: Record<string, Written | undefined> = {};
        const texts = (file: string): string | undefined => now[file];
        const setup = planSetup(client, texts, (file) => record[file], everything);
        expect(setup.refusals).toEqual([]);
        for (const { file, text, written } of setup.edits) {
          now[file] = text;
          record[file] = written;
        }
        expect([...setUpParts(client, texts)]).toEqual(expect.arrayContaining(['mcp', 'text']));
        expect(planSetup(client, texts, (file) => record[file], everything).edits).toEqual([]);
        for (const { file, text } of planRemoval(client, texts, (file) => record[file]).edits) now[file] = text;
        for (const file of Object.keys(now)) expect(now[file]).toBe(before[file]);
      }),
      { numRuns: 200 },
    );
  },
);

test('a file that is not what it should be is named, and nothing of it is planned', () => {
  const claude = clients.find(({ name }) => name === 'claude')!;
  const plan = planSetup(
    claude,
    (file) => (file === '.mcp.json' ? '{' : undefined),
    () => undefined,
    everything,
  );
  expect(plan.refusals).toEqual([{ file: '.mcp.json', problem: 'is not JSON: line 1: close brace expected' }]);
  expect(plan.edits.map(({ file }) => file)).not.toContain('.mcp.json');
});

describe('a file that is ours as a whole', () => {
  const claude = clients.find(({ name }) => name === 'claude')!;
  const file = '.claude/agents/cleo-subagent.md';
  const ours = claude.pieces.find((piece) => piece.file === file)!.whole!;
  const wants = new Set<Piece['what']>(['agents']);
  const plan = (text: string | undefined, written?: Written) =>
    planSetup(
      claude,
      (each) => (each === file ? text : undefined),
      () => written,
      wants,
    );
  const edit = (plan: Plan) => plan.edits.find((each) => each.file === file);

  test('is made, and brought up to date', () => {
    const made = edit(plan(undefined));
    expect(made).toMatchObject({ text: ours, adds: ours, written: { created: true } });
    const older = { created: true as const, inserted: { '': 'older' } };
    expect(edit(plan('older', older))).toMatchObject({ text: ours, written: { created: true, inserted: { '': ours } } });
    expect(edit(plan(ours, made!.written!))).toBeUndefined();
  });

  test('is left alone where somebody else wrote or changed it', () => {
    expect(edit(plan('theirs'))).toBeUndefined();
    expect(plan('theirs').remarks).toEqual([`${file} is not as cleo wrote it, and stays`]);
    expect(edit(plan('changed', { created: true, inserted: { '': ours } }))).toBeUndefined();
  });

  test('goes when it is as it was written, and only then', () => {
    const removal = (text: string, written?: Written) =>
      planRemoval(
        claude,
        (each) => (each === file ? text : undefined),
        () => written,
      );
    const written = { created: true as const, inserted: { '': ours } };
    expect(removal(ours, written).edits).toEqual([{ file, text: undefined }]);
    expect(removal('changed', written)).toMatchObject({ edits: [], remarks: [`${file} was changed, and stays`] });
    expect(removal('theirs').edits).toEqual([]);
    expect(removal(ours).edits).toEqual([]);
  });
});
