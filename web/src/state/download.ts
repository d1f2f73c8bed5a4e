/** Saves a text as a file of the reader. */
export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content by then; a URL that stays would hold its memory.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
