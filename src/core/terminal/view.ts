import type { Registry } from '../define.ts';
import { type Fields, toRecords } from './cell.ts';
import type { Screen } from './screen.ts';

/** Draws the value of one result key. Each form declares the type of its value, hence `never`; `--fields` may have removed any field of
 *  a record. */
export type Form = (value: never, screen: Screen, registry: Registry) => string[] | Promise<string[]>;

/** Creates a form that draws a list of records. */
export const toListForm =
  (draw: (items: Fields[], screen: Screen) => string[]): Form =>
  (value, screen) =>
    draw(toRecords(value), screen);

/** The terminal view of an operation. Result keys without a form are drawn by their shape. */
export interface View {
  forms: Record<string, Form>;
  /** Keys whose form prints a title of its own. */
  titledKeys?: string[];
  /** The forms print the warnings, so the footer leaves them out. */
  printsWarnings?: true;
  /** Keys that people do not need, because another one says the same. */
  hiddenKeys?: string[];
  /** Plain values come before the first section. */
  valuesFirst?: true;
  /** Draws the details of an error below its message. */
  error?: (details: Fields, message: string, screen: Screen) => string[];
}
