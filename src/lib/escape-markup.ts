import { escapeInvisible } from './invisible.ts';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML and XML. Control characters, which XML cannot contain, and invisible ones, which a browser would apply to the
 *  surrounding text, become visible. */
export function escapeMarkup(text: string): string {
  return escapeInvisible(text.toWellFormed()).replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Escapes the value of an XML attribute. Parsers turn unescaped line breaks and tabs of attributes into spaces. */
export function escapeXmlAttribute(text: string): string {
  return escapeMarkup(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
