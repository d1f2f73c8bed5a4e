/** Whether a path is a pattern: with stars, question marks, choices. */
export const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** The folder that everything a pattern fits lies in. */
export function globBase(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isGlob);
  return first < 0 ? pattern : parts.slice(0, first).join('/');
}

/** Fits paths with `/`: `*` and `?` within one name, `**` over any number of folders, `[abc]`, `{one,other}`. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const source = pattern
    .split('/')
    .map((part, i, all) =>
      part === '**' ? (i === all.length - 1 ? '.+' : '(?:[^/]+/)*') : nameSource(part) + (i === all.length - 1 ? '' : '/'),
    )
    .join('');
  const whole = new RegExp(`^${source}$`, 's');
  return (path) => whole.test(path);
}

function nameSource(part: string): string {
  let out = '';
  let choices = 0;
  for (let i = 0; i < part.length; i += 1) {
    const char = part[i]!;
    const set = char === '[' ? /^\[(!|\^)?([^\]/]+)\]/.exec(part.slice(i)) : null;
    if (char === '*') out += out.endsWith('[^/]*') ? '' : '[^/]*';
    else if (char === '?') out += '[^/]';
    else if (set) {
      out += `[${set[1] ? '^/' : ''}${set[2]!.replace(/[\\\]^]/g, '\\$&')}]`;
      i += set[0].length - 1;
    } else if (char === '{' && part.includes('}', i)) {
      choices += 1;
      out += '(?:';
    } else if (char === '}' && choices > 0) {
      choices -= 1;
      out += ')';
    } else if (char === ',' && choices > 0) out += '|';
    else out += char.replace(/[\\^$.|()[\]{}+*?]/g, '\\$&');
  }
  return out;
}
