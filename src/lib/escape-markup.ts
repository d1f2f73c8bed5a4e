const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML and XML. Control characters, which XML cannot contain, and marks that change the direction of text, which a
 *  browser would apply to its surroundings, become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => entities[character]!)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g, '\ufffd');
}

/** Escapes the value of an XML attribute. Parsers turn unescaped line breaks and tabs of attributes into spaces. */
export function escapeXmlAttribute(text: string): string {
  return escapeMarkup(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
