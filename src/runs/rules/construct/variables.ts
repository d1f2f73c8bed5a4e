const variable = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names in braces, wherever they stand in these paths. */
export const variablesIn = (texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map((found) => found[1]!))),
];

/** A value may be one name in a path, never a way through it. */
export const isSafeValue = (value: string): boolean => /^[A-Za-z0-9._-]+$/.test(value) && value !== '.' && value !== '..';

/** A path with its variables filled in; names without a value stay as they are. */
export const expand = (path: string, vars: Record<string, string>): string =>
  path.replace(variable, (whole, name: string) => (Object.hasOwn(vars, name) ? vars[name]! : whole));
