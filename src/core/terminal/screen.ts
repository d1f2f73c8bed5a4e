const colourCodes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof colourCodes;
export type Paint = (colour: Colour, text: string) => string;

export interface Screen {
  columns: number;
  paint: Paint;
  /** The time of the answer; ages are relative to it. */
  now: string;
}

export function createScreen({ columns, hasColour }: { columns: number; hasColour: boolean }, now = ''): Screen {
  return {
    columns: Math.max(40, columns),
    now,
    paint: (colour, text) =>
      hasColour && text !== '' ? `\u001b[${colourCodes[colour][0]}m${text}\u001b[${colourCodes[colour][1]}m` : text,
  };
}

export const narrowScreen = (screen: Screen, by: number): Screen => ({ ...screen, columns: Math.max(8, screen.columns - by) });
