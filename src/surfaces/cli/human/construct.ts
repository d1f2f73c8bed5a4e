import { barOf, shadeOf } from './bar.ts';
import { type Fields, isFields, isRecords } from './cell.ts';
import { record } from './record.ts';
import type { Screen } from './screen.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';

/** Whether a manifest can be run, and what there is to say of it. */
export function validation(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || typeof value.file !== 'string') return isFields(value) ? record(value, screen) : [];
  const { file, kind, valid, findings } = value;
  const [sign, colour] = valid ? (['✓', 'green'] as const) : (['✗', 'red'] as const);
  const can = kind === 'pack' ? 'a pack: its skills can be run, it has no phases' : valid ? 'can be run' : 'cannot be run';
  return [
    `${screen.paint(colour, sign)} ${cut(`${oneLine(file)}  ${can}`, screen.columns - 2)}`,
    ...(isRecords(findings) ? findings.flatMap((one) => finding(one, screen)) : []),
  ];
}

/** What is wrong at one place of a manifest. */
export function finding({ severity, where, line, column, problem, fix }: Fields, { paint, columns }: Screen): string[] {
  const place = [line === undefined ? '' : `${line}:${column}`, where].filter(Boolean).join(' ');
  const text = [place, [problem, fix && `(${fix})`].filter(Boolean).join(' ')].filter(Boolean).join('  ');
  const [first = '', ...more] = wrap(oneLine(text), columns - 4);
  return [`  ${severity === 'warning' ? paint('yellow', '!') : paint('red', '✗')} ${first}`, ...more.map((part) => `    ${part}`)];
}

/** What a manifest comes to: its phases in order, what each needs, runs and makes, and what is handed on between them. */
export function construct(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || typeof value.name !== 'string') return isFields(value) ? record(value, screen) : [];
  const { file, kind, name, version, type, phases, handoffs, skills } = value;
  const all = isRecords(phases) ? phases : [];
  const onward = isRecords(handoffs) ? handoffs : [];
  return [
    `${screen.paint('bold', cut(oneLine(`${name} ${version}`), screen.columns))}`,
    screen.paint('dim', `  ${cut(oneLine([file, kind === 'construct' ? type : kind].join(' · ')), screen.columns - 2)}`),
    ...all.flatMap((phase) => ['', ...phaseLines(phase, onward, screen)]),
    ...(all.length === 0 && Array.isArray(skills) && skills.length > 0 ? ['', ...row('skills', skills.join(', '), screen)] : []),
  ];
}

function phaseLines({ name, skills, inputs, outputs, checks, deadlineMs, ...own }: Fields, handoffs: Fields[], screen: Screen): string[] {
  const limits = [...limitsOf(own), ...(deadlineMs === undefined ? [] : [`${Number(deadlineMs) / 1000} s for all attempts`])];
  return [
    `${screen.paint('bold', cut(`▸ ${oneLine(String(name))}`, screen.columns))}  ${screen.paint('dim', limits.join(', '))}`,
    ...(isRecords(skills)
      ? skills.flatMap((skill) => row('skill', skillText(skill), screen))
      : row('skill', 'none: only its gates', screen)),
    ...artifacts('needs', inputs, screen),
    ...artifacts('makes', outputs, screen),
    ...(Array.isArray(checks) && checks.length > 0 ? row('checks', checks.join(', '), screen) : []),
    ...handoffs
      .filter(({ from }) => from === name)
      .flatMap(({ to, required, onFailure }) =>
        row('hands on', `${[required].flat().join(', ')} to ${to}; otherwise ${said(onFailure)}`, screen),
      ),
  ];
}

const said = (onFailure: unknown): string =>
  onFailure === 'block' ? 'it ends there' : onFailure === 'warn' ? 'a warning' : 'nothing: it is not looked at';

function skillText({ name, runs, lack, ...own }: Fields): string {
  const limits = limitsOf(own);
  return `${name}: ${runs ?? lack}${limits.length > 0 ? ` (${limits.join(', ')})` : ''}`;
}

const limitsOf = ({ timeoutMs, maxRetries }: Fields): string[] => [
  ...(timeoutMs === undefined ? [] : [timeoutMs === 0 ? 'no limit of time' : `${Number(timeoutMs) / 1000} s`]),
  ...(maxRetries === undefined ? [] : [maxRetries === 0 ? 'no retries' : maxRetries === 1 ? '1 retry' : `${maxRetries} retries`]),
];

const artifacts = (name: string, specs: unknown, screen: Screen): string[] =>
  isRecords(specs)
    ? specs.flatMap((spec) => {
        const { path, schema, required, min_completeness: least, required_sections: sections } = spec;
        const parts = [
          schema,
          typeof least === 'number' ? `complete to ${Math.floor(least * 100 + 1e-9)} %` : undefined,
          sections === true ? 'all sections' : Array.isArray(sections) ? `with ${sections.join(', ')}` : undefined,
          required === false ? 'optional' : undefined,
        ].filter((part) => part !== undefined);
        return row(name, `${path}${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`, screen);
      })
    : [];

const row = (name: string, text: string, { columns, paint }: Screen): string[] =>
  wrap(oneLine(text), columns - 12).map((line, i) => `  ${paint('dim', pad(i === 0 ? name : '', 8))}  ${line}`);

/** What one phase leaves for the next. */
export function handoffCheck(value: Fields, screen: Screen): string[] {
  const { from, to, accepted, completeness, provided, missing, extra, warnings } = value;
  const [sign, colour] = accepted ? (['✓', 'green'] as const) : (['✗', 'red'] as const);
  const list = (name: string, paths: unknown): string[] =>
    Array.isArray(paths) && paths.length > 0 ? row(name, paths.join(', '), screen) : [];
  return [
    `${screen.paint(colour, sign)} ${cut(oneLine(`${from} → ${to}  ${accepted ? 'accepted' : 'refused'}${share(completeness)}`), screen.columns - 2)}`,
    ...(isRecords(provided) ? provided.flatMap((one) => row('there', `${one.path}${share(one.completeness)}`, screen)) : []),
    ...list('missing', missing),
    ...list('besides', extra),
    ...(Array.isArray(warnings) ? warnings.flatMap((text) => row('though', String(text), screen)) : []),
  ];
}

const share = (completeness: unknown): string =>
  typeof completeness === 'number' ? `, complete to ${Math.floor(completeness * 100 + 1e-9)} %` : '';

/** How complete a document is, and what each section lacks. */
export function document(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || typeof value.completeness !== 'number') return isFields(value) ? record(value, screen) : [];
  const { file, schema, completeness, min, sections } = value;
  const bar = screen.paint(completeness >= Number(min) ? 'green' : shadeOf(completeness), barOf(completeness));
  return [
    screen.paint('bold', cut(oneLine(`${file}  ${schema}`), screen.columns)),
    `  ${bar} complete to ${Math.floor(completeness * 100 + 1e-9)} %; ${Math.floor(Number(min) * 100 + 1e-9)} % is asked for`,
    ...(isRecords(sections) ? ['', ...sectionLines(sections, screen)] : []),
  ];
}

export function sectionLines(sections: Fields[], screen: Screen): string[] {
  const width = Math.max(...sections.map(({ id }) => widthOf(oneLine(String(id)))));
  return sections.flatMap(({ id, score, required, line, lacks }) => {
    const isWhole = Array.isArray(lacks) && lacks.length === 0;
    const [sign, colour] = isWhole ? (['✓', 'green'] as const) : required === false ? (['·', 'dim'] as const) : (['✗', 'red'] as const);
    const head = `${pad(oneLine(String(id)), width)}  ${typeof score === 'number' ? `${String(Math.floor(score * 100 + 1e-9)).padStart(3)} %  ` : ''}`;
    const text = isWhole ? (line === null || line === undefined ? '' : `line ${line}`) : `needs ${[lacks].flat().join(', ')}`;
    const [first = '', ...more] = wrap(oneLine(text), screen.columns - 4 - widthOf(head));
    return [
      `  ${screen.paint(colour, sign)} ${`${head}${first}`.trimEnd()}`,
      ...more.map((part) => `    ${' '.repeat(widthOf(head))}${part}`),
    ];
  });
}
