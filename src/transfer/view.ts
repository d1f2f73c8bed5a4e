import {
  drawNamed,
  drawRecords,
  type Fields,
  narrowScreen,
  type Screen,
  toOneLine,
  toRecords,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';
import { pluralize } from '#lib/noun.ts';

/** The counts of an import come before its losses, which are shown by kind. */
export const importView: View = {
  forms: { ids: drawIds, lossGroups: drawLossGroups },
  titledKeys: ['lossGroups'],
  hiddenKeys: ['losses', 'lossCount'],
  valuesFirst: true,
};

/** The warning names what is lost. */
export const exportView: View = { forms: {}, hiddenKeys: ['lost'] };

/** Draws one line per kind of loss, with examples. Where that is too wide, the examples are on lines of their own. */
function drawLossGroups(value: unknown, screen: Screen): string[] {
  const rows = toRecords(value).map(({ count, field, why, examples }) => ({
    count,
    field,
    why,
    examples: `${(examples as string[]).join(', ')}${Number(count) > (examples as string[]).length ? ', …' : ''}`,
  }));
  const inner = narrowScreen(screen, 2);
  const getWidth = (key: 'field' | 'why' | 'examples'): number => Math.max(0, ...rows.map((row) => String(row[key]).length));
  if (12 + getWidth('field') + getWidth('why') + getWidth('examples') > inner.columns)
    return [screen.paint('bold', 'losses'), ...rows.flatMap((row) => drawTallRow(row, getWidth('field'), inner))];
  return [screen.paint('bold', 'losses'), ...drawRecords(rows, inner).map((line) => `  ${line}`.trimEnd())];
}

function drawTallRow({ count, field, why, examples }: Record<string, unknown>, fieldWidth: number, screen: Screen): string[] {
  const head = `${String(count).padStart(6)}  ${toOneLine(String(field)).padEnd(fieldWidth)}  `;
  const indent = ' '.repeat(head.length);
  const width = Math.max(20, screen.columns - head.length);
  const [first = '', ...more] = wrap(toOneLine(String(why)), width);
  const found = wrap(toOneLine(String(examples)), width).map((line) => `${indent}${screen.paint('dim', line)}`);
  return [`${head}${first}`, ...more.map((line) => `${indent}${line}`), ...found];
}

const maxIds = 12;

/** Draws the first ids of an import in a line; `cleo imported` lists them all. */
function drawIds(value: unknown, screen: Screen): string[] {
  const ids = toRecords(value);
  const shown = ids.slice(0, maxIds).map(({ id, taskId }) => `${toOneLine(String(id))} → ${taskId}`);
  return wrap([...shown, ...(ids.length > maxIds ? ['… cleo imported'] : [])].join(', '), screen.columns);
}

/** Counts per side first, then the changes of each side. */
export const githubView: View = {
  forms: { sync: drawGithubSync, changes: drawGithubChanges },
  titledKeys: ['changes'],
};

function drawGithubSync({ repo, issues, pulled, pushed }: Fields, screen: Screen): string[] {
  const formatCounts = (counts: unknown): string[] => [
    Object.entries(isPlainObject(counts) ? counts : {})
      .filter(([, count]) => count !== 0)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'no change',
  ];
  return [
    `${screen.paint('bold', toOneLine(String(repo)))}  ${pluralize(Number(issues), 'issue')}`,
    ...drawNamed(
      [
        ['here', formatCounts(pulled)],
        ['GitHub', formatCounts(pushed)],
      ],
      screen,
    ),
  ];
}

const changeNames: Record<string, string> = { create: 'new', update: 'changed', close: 'closed', reopen: 'reopened' };

/** Draws one table per side. */
function drawGithubChanges(value: unknown, screen: Screen): string[] {
  const changes = toRecords(value);
  const inner = narrowScreen(screen, 2);
  const drawSide = (side: string, heading: string): string[] => {
    const rows = changes
      .filter((change) => change.side === side)
      .map(({ action, taskId, id, title, fields }) => ({
        change: changeNames[String(action)] ?? action,
        task: taskId,
        issue: id,
        title,
        fields,
      }));
    if (rows.length === 0) return [];
    return [screen.paint('bold', heading), ...drawRecords(rows, inner).map((line) => `  ${line}`.trimEnd())];
  };
  const sides = [drawSide('here', 'changes here'), drawSide('github', 'changes on GitHub')].filter((lines) => lines.length > 0);
  return sides.flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}
