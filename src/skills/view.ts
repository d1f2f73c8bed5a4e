import { type Fields, toRecords } from '#core/terminal/cell.ts';
import { drawEach } from '#core/terminal/lines.ts';
import { drawFields, drawRecord, drawRecords } from '#core/terminal/record.ts';
import { narrowScreen, type Screen } from '#core/terminal/screen.ts';
import { drawTable } from '#core/terminal/table.ts';
import { escapeControls, toOneLine, truncate, wrap } from '#core/terminal/text.ts';
import type { View } from '#core/terminal/view.ts';

export const skillView: View = {
  forms: {
    skill: (value, screen) => drawSkill(value as Fields, screen),
    skills: (value, screen) => drawSkills(toRecords(value), screen),
  },
};

/** Draws one skill: its description and triggers, then its text. */
function drawSkill(fields: Fields, screen: Screen): string[] {
  const { name, description, version, category, origin, stability, text, lastReviewed, tags, triggers, ...rest } = fields;
  if (typeof name !== 'string') return drawRecord(fields, screen);
  const lists = Object.entries({ tags, triggers }).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const others = { ...Object.fromEntries(lists.map(([key, list]) => [key, (list as string[]).join(', ')])), ...rest };
  const about = [category, version && `version ${version}`, stability, origin, lastReviewed && `reviewed ${lastReviewed}`];
  const drawIndented = (line: string): string[] => wrap(line, screen.columns - 2).map((part) => `  ${part}`);
  return [
    screen.paint('bold', truncate(toOneLine(name), screen.columns)),
    ...drawIndented(
      about
        .filter(Boolean)
        .map((part) => toOneLine(String(part)))
        .join(' · '),
    ),
    ...(description ? ['', ...drawIndented(toOneLine(String(description)))] : []),
    ...(Object.keys(others).length > 0 ? ['', ...drawFields(others, narrowScreen(screen, 2)).map((line) => `  ${line}`)] : []),
    // Not wrapped, so that tables and commands stay readable.
    ...(typeof text === 'string' ? ['', ...text.split('\n').map((line) => escapeControls(line).trimEnd())] : []),
  ];
}

function drawSkills(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ name, origin }) => typeof name === 'string' && typeof origin === 'string')) return drawRecords(items, screen);
  const hasOrigins = items.some(({ origin }) => origin !== items[0]?.origin);
  const hasShadows = items.some(({ shadows }) => shadows !== undefined);
  const rows = items.map(({ name, category = '', origin, shadows = '', description }) => ({
    skill: name,
    category,
    ...(hasOrigins ? { origin } : {}),
    ...(hasShadows ? { hides: shadows } : {}),
    description,
  }));
  return drawTable(rows, screen, true) ?? drawEach(items, (item) => drawSkill(item, screen));
}
