/** Formats rows as CSV with Windows line ends, as RFC 4180 asks. */
export const formatCsv = (head: readonly string[], rows: unknown[][]): string =>
  `${[head, ...rows].map((row) => row.map(formatCell).join(',')).join('\r\n')}\r\n`;

function formatCell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  // Spreadsheets run cells that begin like a formula, full-width signs included. In some locales a semicolon ends a cell.
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
