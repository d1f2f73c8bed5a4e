import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';

/** The state of a store that takes part in a move. A store in use has no marker.
 *  `incoming`: the copy is complete, and the old store is still the one in use. `moved`: the store is read-only, and `to` is the new one. */
export interface MoveMarker {
  state: 'incoming' | 'moved';
  /** Address of the other store: `sqlite` with the path of the file, or an address without a password. */
  place: string;
  at: string;
}

/** The version of the row of `schema_migrations` that holds the marker in place of a checksum. The table is read at the begin of every
 *  transaction anyway, so that a store that was moved is noticed without another statement. */
export const markerVersion = -1;

export const formatMarker = (marker: MoveMarker): string => JSON.stringify(marker);

/** Parses a marker. One that cannot be read, for example of a later version, counts as moved: the store is not written. */
export function parseMarker(text: string): MoveMarker {
  const value = parseJson(text);
  const { state, place, at } = isPlainObject(value) ? value : {};
  return {
    state: state === 'incoming' ? state : 'moved',
    place: typeof place === 'string' ? place : 'another place',
    at: String(at ?? ''),
  };
}
