import {
  drawEach,
  drawFields,
  drawNode,
  drawOmitted,
  drawProgress,
  drawRecord,
  drawRecords,
  drawTable,
  drawTree,
  escapeControls,
  type Fields,
  formatAge,
  formatId,
  joinParts,
  type Screen,
  toListForm,
  toOneLine,
  toRecords,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';
import { drawDim, drawGroup, limitTexts } from '#planning/view.ts';
import { drawSession } from '#sessions/view.ts';
import type { Pack } from './model/pack.ts';
import { formatPack } from './model/pack-text.ts';

const drawSpawns = (value: unknown, screen: Screen): string[] => drawEach(toRecords(value), (spawn) => drawSpawn(spawn, screen));

export const orchestrationView: View = {
  forms: {
    session: drawSession,
    waves: toListForm(drawWaves),
    blocked: toListForm(drawBlocked),
    externalBlockers: toListForm(drawExternalBlockers),
    cycles: drawCycles,
    edges: drawEdges,
    running: toListForm(drawRunning),
    report: drawReport,
    spawn: drawSpawns,
    spawns: drawSpawns,
    pack: drawPack,
    omitted: drawOmitted,
  },
  titledKeys: ['pack', 'omitted'],
};

/** Draws each wave with its tasks below it. */
function drawWaves(waves: Fields[], screen: Screen): string[] {
  if (!waves.every(({ tasks }) => Array.isArray(tasks))) return drawRecords(waves, screen);
  return drawTree(
    waves.map(({ wave, tasks }) => ({ title: `wave ${wave}`, children: tasks })),
    screen,
  );
}

/** Draws each task with the reasons why it is blocked. */
function drawBlocked(tasks: Fields[], screen: Screen): string[] {
  if (!tasks.every(({ reasons }) => Array.isArray(reasons))) return drawRecords(tasks, screen);
  return tasks.flatMap(({ reasons, ...task }) => [
    drawNode(task, screen),
    ...limitTexts(toRecords(reasons).map(formatReason)).flatMap((text) => drawDim('  ← ', text, screen)),
  ]);
}

function formatReason({ kind, on, text, via }: Fields): string {
  const through = via === undefined ? '' : ` (through ${via})`;
  if (kind === 'stated') return `${via === undefined ? '' : `${via} is blocked: `}${text ?? 'no reason given'}`;
  if (kind === 'external') return `${on}, which is outside${through}`;
  if (kind === 'unfinished') return `${on}, which has nothing left inside and waits to be completed${through}`;
  return `${on}${through}`;
}

function drawExternalBlockers(tasks: Fields[], screen: Screen): string[] {
  if (!tasks.every(({ blocks }) => Array.isArray(blocks))) return drawRecords(tasks, screen);
  return tasks.flatMap(({ blocks, ...task }) => [
    drawNode(task, screen),
    ...drawDim('  → ', limitTexts((blocks as unknown[]).map(String)).join(', '), screen),
  ]);
}

function drawCycles(value: unknown, screen: Screen): string[] {
  return [value].flat().flatMap((cycle) => wrap(toOneLine([cycle].flat().map(String).join(' → ')), screen.columns));
}

/** Draws each dependency of a graph on a line. */
function drawEdges(value: unknown, screen: Screen): string[] {
  return [value].flat().flatMap((edge) => wrap(toOneLine(`${[edge].flat().map(String).join(' depends on ')}`), screen.columns));
}

/** Draws claimed tasks with their agents. */
function drawRunning(items: Fields[], screen: Screen): string[] {
  const rows = items.map((row) => ({
    ...row,
    ...('since' in row ? { since: formatAge(row.since, screen.now) } : {}),
    ...('until' in row ? { until: formatAge(row.until, screen.now) } : {}),
    ...('lastSeen' in row ? { lastSeen: formatAge(row.lastSeen, screen.now) } : {}),
  }));
  return drawTable(rows, screen) ?? drawRecords(rows, screen);
}

/** Draws the work inside a task, group by group; empty groups are left out. */
function drawReport(fields: Fields, screen: Screen): string[] {
  const { progress, counts, ready, running, waiting, blocked, done, ...task } = fields;
  if (!isPlainObject(progress) || !isPlainObject(counts)) return drawFields(fields, screen);
  const drawCounted = (name: string, items: unknown, draw: (item: Fields, inner: Screen) => string[]): string[] =>
    drawGroup(`${name} ${counts[name]}`, items, screen, draw);
  return [
    drawNode(task, screen),
    `  ${drawProgress(progress, screen)}`,
    ...drawCounted('ready', ready, (one, inner) => [drawNode(one, inner)]),
    ...drawCounted('running', running, ({ agent, session, since, until: _, state, lastSeen: __, ...one }, inner) => [
      drawNode(one, inner),
      ...drawDim('  ', `${agent}${session ? ` in ${session}` : ''}, ${formatAge(since, screen.now)}${state ? `, ${state}` : ''}`, inner),
    ]),
    ...drawCounted('waiting', waiting, ({ on, ...one }, inner) => [
      drawNode(one, inner),
      ...limitTexts(toRecords(on).map((other) => `${formatId(other)} ${other.title}${other.via ? ` (through ${other.via})` : ''}`)).flatMap(
        (text) => drawDim('  ← ', text, inner),
      ),
    ]),
    ...drawCounted('blocked', blocked, (one, inner) => drawBlocked([one], inner)),
    ...drawCounted('done', done, (one, inner) => [drawNode({ ...one, status: 'done' }, inner)]),
  ];
}

/** Draws a prompt: its agent and parts, then its text, which is never wrapped, so that it can be copied. */
function drawSpawn(fields: Fields, screen: Screen): string[] {
  const { taskId, agentId, skill, protocol, tier, prompt, promptTokens, promptFile, env } = fields;
  if ([taskId, agentId, tier, promptTokens].includes(undefined)) return drawRecord(fields, screen);
  const variables = isPlainObject(env) ? Object.entries(env).map(([name, value]) => `${name}=${value}`) : [];
  return [
    screen.paint('bold', toOneLine(`${taskId} → ${agentId}`)),
    ...wrap(joinParts([skill, protocol, `tier ${tier}`, `${promptTokens} tokens`, promptFile]), screen.columns - 2).map(
      (line) => `  ${screen.paint('dim', line)}`,
    ),
    `  ${toOneLine(variables.join(' '))}`,
    ...(typeof prompt === 'string' ? ['', ...prompt.split('\n').map((line) => escapeControls(line).trimEnd())] : []),
  ];
}

/** Draws a context pack as prompts contain it, with bold titles. */
function drawPack(value: unknown, screen: Screen): string[] {
  if (!isPack(value)) return drawFields(isPlainObject(value) ? value : {}, screen);
  return formatPack(value)
    .split('\n')
    .flatMap((line) => {
      const lines = wrap(line, screen.columns);
      return line.startsWith('#') ? lines.map((each) => screen.paint('bold', each)) : lines;
    });
}

/** Checks that the pack is complete: `--fields` may have removed parts of it. */
const isPack = (value: unknown): value is Pack => isPlainObject(value) && isPlainObject(value.task) && typeof value.task.title === 'string';
