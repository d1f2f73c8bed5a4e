const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof codes;
export type Paint = (colour: Colour, text: string) => string;

export interface Screen {
  columns: number;
  paint: Paint;
  /** The moment of the answer, which ages are counted from. */
  now: string;
}

export function screenOf({ columns, hasColour }: { columns: number; hasColour: boolean }, now = ''): Screen {
  return {
    columns: Math.max(40, columns),
    now,
    paint: (colour, text) => (hasColour && text !== '' ? `\u001b[${codes[colour][0]}m${text}\u001b[${codes[colour][1]}m` : text),
  };
}

export const narrower = (screen: Screen, by: number): Screen => ({ ...screen, columns: Math.max(8, screen.columns - by) });
