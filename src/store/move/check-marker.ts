import '../errors.ts';
import { existsSync } from 'node:fs';
import { CleoError } from '#core/errors/error.ts';
import { type MoveMarker, parseMarker } from './marker.ts';

/** Called for every transaction on a store that was moved. A read has a notice for its caller; a write fails after it. */
export type OnMoved = (notice: string | undefined) => void;

/** Throws E_STORE_MOVED for a write to a store that was moved, and for every call to a copy that is not in use yet. */
export function checkMarker(text: string, isWrite: boolean, onMoved: OnMoved | undefined): void {
  const marker = parseMarker(text);
  onMoved?.(isWrite ? undefined : `the store was moved to ${marker.place}; this one is read-only and no longer updated`);
  if (isWrite || marker.state === 'incoming') throw createMovedError(marker);
}

export const createMovedError = ({ state, place, at }: MoveMarker): CleoError =>
  new CleoError('E_STORE_MOVED', { place, at, isUnfinished: state === 'incoming', isReachable: isReachable(place) });

/** A file of another machine cannot be used from here. */
const isReachable = (place: string): boolean => /^postgres(ql)?:/.test(place) || existsSync(place);
