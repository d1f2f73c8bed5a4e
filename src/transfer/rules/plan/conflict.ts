/** Returns the number of the line with the first conflict marker of git. JSON never begins a line with one. */
export function findConflictMarker(text: string): number | undefined {
  const at = text.search(/^(?:<<<<<<<|>>>>>>>|=======$|\|\|\|\|\|\|\|)/m);
  return at < 0 ? undefined : text.slice(0, at).split('\n').length;
}

/** Returns the two versions of a file with conflict markers, in the style `merge`, `diff3` or `zdiff3`; undefined if a block is not
 *  complete. */
export function splitConflict(text: string): { ours: string; theirs: string } | undefined {
  const [ours, theirs]: [string[], string[]] = [[], []];
  let side: 'both' | 'ours' | 'base' | 'theirs' = 'both';
  for (const line of text.split('\n')) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?: |\r?$)/.exec(line)?.[1]?.[0];
    if (marker === '<' && side === 'both') side = 'ours';
    else if (marker === '|' && side === 'ours') side = 'base';
    else if (marker === '=' && (side === 'ours' || side === 'base')) side = 'theirs';
    else if (marker === '>' && side === 'theirs') side = 'both';
    else if (marker) return undefined;
    else {
      if (side === 'both' || side === 'ours') ours.push(line);
      if (side === 'both' || side === 'theirs') theirs.push(line);
    }
  }
  return side === 'both' ? { ours: ours.join('\n'), theirs: theirs.join('\n') } : undefined;
}
