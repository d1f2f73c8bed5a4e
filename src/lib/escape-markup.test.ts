import { expect, test } from 'vitest';
import { escapeMarkup, escapeXmlAttribute } from './escape-markup.ts';

test.each([
  [`<a href="x">'&'</a>`, '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;'],
  ['one\n\ttwo', 'one\n\ttwo'],
  ['a\u0000b\u001bc\u009fd', 'a␀b␛c\\u009fd'],
  ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ['half of \ud83c', 'half of \ufffd'],
  ['🍳 €', '🍳 €'],
])('escapes %j', (text, escaped) => {
  expect(escapeMarkup(text)).toBe(escaped);
});

test('keeps line breaks of an attribute', () => {
  expect(escapeXmlAttribute('a\r\n\tb"')).toBe('a&#13;&#10;&#9;b&quot;');
});
