import {
  drawEach,
  drawFields,
  drawIndented,
  drawRecord,
  drawRecords,
  drawTable,
  escapeControls,
  type Fields,
  joinParts,
  narrowScreen,
  type Screen,
  toListForm,
  toOneLine,
  truncate,
  type View,
} from '#core/terminal/index.ts';

export const skillView: View = {
  forms: {
    skill: drawSkill,
    skills: toListForm(drawSkills),
  },
};

/** Draws one skill: its description and triggers, then its text. */
function drawSkill(fields: Fields, screen: Screen): string[] {
  const { name, description, version, category, origin, stability, text, lastReviewed, tags, triggers, ...rest } = fields;
  if (typeof name !== 'string') return drawRecord(fields, screen);
  const lists = Object.entries({ tags, triggers }).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const others = { ...Object.fromEntries(lists.map(([key, list]) => [key, (list as string[]).join(', ')])), ...rest };
  const about = [category, version && `version ${version}`, stability, origin, lastReviewed && `reviewed ${lastReviewed}`];
  return [
    screen.paint('bold', truncate(toOneLine(name), screen.columns)),
    ...drawIndented(joinParts(about), screen),
    ...(description ? ['', ...drawIndented(String(description), screen)] : []),
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
