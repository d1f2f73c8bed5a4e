import {
  type Colour,
  drawBar,
  drawRecord,
  type Fields,
  getShade,
  isRecords,
  measureWidth,
  padRight,
  type Screen,
  toOneLine,
  truncate,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatPercent } from '#lib/statistics.ts';
import { formatCompleteness, formatHandoff } from './run.ts';

const drawVerdict = (isGood: unknown, { paint }: Screen): string => (isGood ? paint('green', '✓') : paint('red', '✗'));

/** Draws whether a manifest can be run, then its findings. */
export function drawValidation(fields: Fields, screen: Screen): string[] {
  const { file, kind, valid, findings } = fields;
  if (typeof file !== 'string') return drawRecord(fields, screen);
  const state = kind === 'pack' ? 'a pack: its skills can be run, it has no phases' : valid ? 'can be run' : 'cannot be run';
  return [
    `${drawVerdict(valid, screen)} ${truncate(`${toOneLine(file)}  ${state}`, screen.columns - 2)}`,
    ...(isRecords(findings) ? findings.flatMap((finding) => drawFinding(finding, screen)) : []),
  ];
}

/** Draws one finding of a manifest with its position. */
export function drawFinding({ severity, where, trace, line, column, problem, message, fix }: Fields, { paint, columns }: Screen): string[] {
  const position = [column === undefined ? '' : `${line}:${column}`, where ?? trace].filter(Boolean).join(' ');
  const text = [position, [problem ?? message, fix && `(${fix})`].filter(Boolean).join(' ')].filter(Boolean).join('  ');
  const [first = '', ...more] = wrap(toOneLine(text), columns - 4);
  return [`  ${severity === 'warning' ? paint('yellow', '!') : paint('red', '✗')} ${first}`, ...more.map((part) => `    ${part}`)];
}

/** Draws the phases of a manifest in order: inputs, skills, outputs, checks and handoffs. */
export function drawConstruct(fields: Fields, screen: Screen): string[] {
  const { file, kind, name, version, type, phases, handoffs, skills, exitCodes } = fields;
  if (typeof name !== 'string') return drawRecord(fields, screen);
  const all = isRecords(phases) ? phases : [];
  return [
    screen.paint('bold', truncate(toOneLine(`${name} ${version}`), screen.columns)),
    screen.paint('dim', `  ${truncate(toOneLine([file, kind === 'construct' ? type : kind].join(' · ')), screen.columns - 2)}`),
    ...drawExitCodes(exitCodes, screen),
    ...all.flatMap((phase) => ['', ...drawPhase(phase, isRecords(handoffs) ? handoffs : [], screen)]),
    ...(all.length === 0 && Array.isArray(skills) && skills.length > 0 ? ['', ...drawRow('skills', skills.join(', '), screen)] : []),
  ];
}

function drawPhase(
  { name, skills, inputs, outputs, checks, deadlineMs, exitCodes, ...own }: Fields,
  handoffs: Fields[],
  screen: Screen,
): string[] {
  const limits = [...listLimits(own), ...(deadlineMs === undefined ? [] : [`${Number(deadlineMs) / 1000} s for all attempts`])];
  return [
    `${screen.paint('bold', truncate(`▸ ${toOneLine(String(name))}`, screen.columns))}  ${screen.paint('dim', limits.join(', '))}`,
    ...(isRecords(skills)
      ? skills.flatMap((skill) => drawRow('skill', formatSkill(skill), screen))
      : drawRow('skill', 'none: only its gates', screen)),
    ...drawArtifacts('needs', inputs, screen),
    ...drawArtifacts('makes', outputs, screen),
    ...(Array.isArray(checks) && checks.length > 0 ? drawRow('checks', checks.join(', '), screen) : []),
    ...drawExitCodes(exitCodes, screen),
    ...handoffs
      .filter(({ from }) => from === name)
      .flatMap(({ to, required, optional, validation, onFailure }) => [
        ...drawRow('handoff', `${[required].flat().join(', ')} to ${to}; otherwise ${formatFailurePolicy(onFailure)}`, screen),
        ...drawArtifacts('', validation, screen),
        ...(Array.isArray(optional) ? drawRow('', `optional: ${optional.join(', ')}`, screen) : []),
      ]),
  ];
}

const drawExitCodes = (codes: unknown, screen: Screen): string[] =>
  isPlainObject(codes)
    ? drawRow(
        'exits',
        Object.entries(codes as Record<string, Fields>)
          .map(([code, { name, class: exitClass }]) => `${code} ${name}${name === exitClass ? '' : ` (${exitClass})`}`)
          .join(', '),
        screen,
      )
    : [];

const formatFailurePolicy = (onFailure: unknown): string =>
  onFailure === 'block' ? 'the run stops' : onFailure === 'warn' ? 'a warning' : 'it is ignored';

function formatSkill({ name, runs, lack, ...own }: Fields): string {
  const limits = listLimits(own);
  return `${name}: ${runs ?? lack}${limits.length > 0 ? ` (${limits.join(', ')})` : ''}`;
}

const listLimits = ({ timeoutMs, maxRetries }: Fields): string[] => [
  ...(timeoutMs === undefined ? [] : [timeoutMs === 0 ? 'no timeout' : `${Number(timeoutMs) / 1000} s`]),
  ...(maxRetries === undefined ? [] : [maxRetries === 0 ? 'no retries' : maxRetries === 1 ? '1 retry' : `${maxRetries} retries`]),
];

const drawArtifacts = (name: string, specs: unknown, screen: Screen): string[] =>
  isRecords(specs)
    ? specs.flatMap(({ path, schema, required, min_completeness: min, required_sections: sections }) => {
        const parts = [
          schema,
          typeof min === 'number' ? `complete to ${formatPercent(min)}` : undefined,
          sections === true ? 'all sections' : Array.isArray(sections) ? `with ${sections.join(', ')}` : undefined,
          required === false ? 'optional' : undefined,
        ].filter((part) => part !== undefined);
        return drawRow(name, `${path}${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`, screen);
      })
    : [];

const drawRow = (name: string, text: string, { columns, paint }: Screen): string[] =>
  wrap(toOneLine(text), columns - 12).map((line, i) => `  ${paint('dim', padRight(i === 0 ? name : '', 8))}  ${line}`);

/** Draws whether the artifacts of one phase satisfy the next. */
export function drawHandoffCheck(fields: Fields, screen: Screen): string[] {
  const { accepted, provided, missing, extra, warnings } = fields;
  if (accepted === undefined) return drawRecord(fields, screen);
  const drawPaths = (name: string, paths: unknown): string[] =>
    Array.isArray(paths) && paths.length > 0 ? drawRow(name, paths.join(', '), screen) : [];
  return [
    `${drawVerdict(accepted, screen)} ${truncate(formatHandoff(fields), screen.columns - 2)}`,
    ...(isRecords(provided)
      ? provided.flatMap((one) => drawRow('present', `${one.path}${formatCompleteness(one.completeness)}`, screen))
      : []),
    ...drawPaths('missing', missing),
    ...drawPaths('extra', extra),
    ...(Array.isArray(warnings) ? warnings.flatMap((text) => drawRow('warning', String(text), screen)) : []),
  ];
}

/** Draws how complete a document is, and what each section lacks. */
export function drawDocumentCheck(fields: Fields, screen: Screen): string[] {
  const { file, schema, completeness, min, sections } = fields;
  if (typeof completeness !== 'number') return drawRecord(fields, screen);
  const bar = screen.paint(completeness >= Number(min) ? 'green' : getShade(completeness), drawBar(completeness));
  return [
    screen.paint('bold', truncate(toOneLine(`${file}  ${schema}`), screen.columns)),
    `  ${bar} complete to ${formatPercent(completeness)}; ${formatPercent(Number(min))} is asked for`,
    ...(isRecords(sections) ? ['', ...drawSections(sections, screen)] : []),
  ];
}

export function drawSections(sections: Fields[], screen: Screen): string[] {
  const width = Math.max(...sections.map(({ id }) => measureWidth(toOneLine(String(id)))));
  return sections.flatMap(({ id, score, required, line, lacks }) => {
    const isWhole = Array.isArray(lacks) && lacks.length === 0;
    const [mark, colour]: [string, Colour] = isWhole ? ['✓', 'green'] : required === false ? ['·', 'dim'] : ['✗', 'red'];
    const percent = typeof score === 'number' ? `${formatPercent(score).padStart(5)}  ` : '';
    const head = `${padRight(toOneLine(String(id)), width)}  ${percent}`;
    const text = isWhole ? (line === null || line === undefined ? '' : `line ${line}`) : `needs ${[lacks].flat().join(', ')}`;
    const [first = '', ...more] = wrap(toOneLine(text), screen.columns - 4 - measureWidth(head));
    return [
      `  ${screen.paint(colour, mark)} ${`${head}${first}`.trimEnd()}`,
      ...more.map((part) => `    ${' '.repeat(measureWidth(head))}${part}`),
    ];
  });
}
