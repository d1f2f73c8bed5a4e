import { parseJson } from '#lib/parse-json.ts';
import { type ConfigKey, getConfigSpec } from './config.ts';

/** Converts a value from the command line, such as `7`, `true` or `["npm","test"]`, to the type of its key. */
export function parseConfigValue(key: ConfigKey, text: string): unknown {
  const { type } = getConfigSpec(key);
  if (type === 'count') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  const isList = type === 'list' || type === 'slugs' || type === 'kinds' || type === 'evidence' || type === 'signers';
  if ((isList || type === 'command' || type === 'program') && text.trimStart().startsWith('[')) return parseJson(text) ?? text;
  if (type === 'profile') return parseJson(text) ?? text;
  // A line of `allowed_signers` may contain commas, and a file of them has comments.
  if (isList)
    return text
      .split(type === 'signers' ? /\r?\n/ : ',')
      .map((item) => item.trim())
      .filter((item) => item !== '' && !(type === 'signers' && item.startsWith('#')));
  return text;
}
