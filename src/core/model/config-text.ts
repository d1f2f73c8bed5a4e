import { type ConfigKey, specOf } from './config.ts';

/** `"7"`, `"true"` and `"full"` as they come from a command line. */
export function configFromText(key: ConfigKey, text: string): unknown {
  const { type } = specOf(key);
  if (type === 'count') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  const isList = type === 'list' || type === 'slugs';
  if ((isList || type === 'command') && text.trimStart().startsWith('[')) return listIn(text);
  if (isList)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
}

function listIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
