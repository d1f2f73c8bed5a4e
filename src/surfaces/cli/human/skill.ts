import { type Fields, isFields } from './cell.ts';
import { facts, record, records } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { table } from './table.ts';
import { clean, cut, oneLine, wrap } from './text.ts';

/** One skill: what it is, when it is taken, and its text as it stands. */
export function skill(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || typeof value.name !== 'string') return isFields(value) ? record(value, screen) : [];
  const { name, description, version, category, origin, stability, text, lastReviewed, tags, triggers, ...rest } = value;
  const lists = Object.entries({ tags, triggers }).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const others = { ...Object.fromEntries(lists.map(([key, list]) => [key, (list as string[]).join(', ')])), ...rest };
  const about = [category, version && `version ${version}`, stability, origin, lastReviewed && `reviewed ${lastReviewed}`];
  return [
    screen.paint('bold', cut(oneLine(name), screen.columns)),
    ...wrap(
      about
        .filter(Boolean)
        .map((part) => oneLine(String(part)))
        .join(' · '),
      screen.columns - 2,
    ).map((line) => `  ${line}`),
    ...(description ? ['', ...wrap(oneLine(String(description)), screen.columns - 2).map((line) => `  ${line}`)] : []),
    ...(Object.keys(others).length > 0 ? ['', ...facts(others, narrower(screen, 2)).map((line) => `  ${line}`)] : []),
    // A text is not broken anew: tables and commands are to be read as they were written.
    ...(typeof text === 'string' ? ['', ...text.split('\n').map((line) => clean(line).trimEnd())] : []),
  ];
}

/** Many of them: a row each, with what it is for as far as there is room. */
export function skills(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ name, origin }) => typeof name === 'string' && typeof origin === 'string')) return records(items, screen);
  const isMixed = items.some(({ origin }) => origin !== items[0]?.origin);
  const hides = items.some(({ shadows }) => shadows !== undefined);
  const rows = items.map(({ name, category = '', origin, shadows = '', description }) => ({
    skill: name,
    category,
    ...(isMixed ? { origin } : {}),
    ...(hides ? { hides: shadows } : {}),
    description,
  }));
  return table(rows, screen, true) ?? items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...skill(item, screen)]);
}
