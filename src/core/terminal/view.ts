import type { Registry } from '../define.ts';
import type { Fields } from './cell.ts';
import type { Screen } from './screen.ts';

/** Draws the value of one result key. `--fields` may have removed any field of a record. */
export type Form = (value: unknown, screen: Screen, registry: Registry) => string[] | Promise<string[]>;

/** The terminal view of an operation. Result keys without a form are drawn by their shape. */
export interface View {
  forms: Record<string, Form>;
  /** Keys whose form prints a title of its own. */
  titledKeys?: string[];
  /** The forms print the warnings, so the footer leaves them out. */
  printsWarnings?: true;
  /** Plain values come before the first section. */
  valuesFirst?: true;
  /** Draws the details of an error below its message. */
  error?: (details: Fields, message: string, screen: Screen) => string[];
}
