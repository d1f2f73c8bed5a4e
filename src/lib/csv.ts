/** Rows as a spreadsheet reads them. */
export const csvText = (head: readonly string[], rows: unknown[][]): string =>
  `${[head, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;

function csvCell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  // A spreadsheet runs what begins like a formula, in wide signs too, and in some countries a semicolon ends a cell.
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
