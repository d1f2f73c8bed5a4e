const variable = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The distinct variable names in these paths. */
export const findVariables = (texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map((found) => found[1]!))),
];

/** True if a value can be one segment of a path, without leading elsewhere. */
export const isSafePathSegment = (value: string): boolean => /^[A-Za-z0-9._-]+$/.test(value) && value !== '.' && value !== '..';

/** Replaces the variables of a path; names without a value stay as they are. */
export const expandVariables = (path: string, vars: Record<string, string>): string =>
  path.replace(variable, (whole, name: string) => (Object.hasOwn(vars, name) ? vars[name]! : whole));
