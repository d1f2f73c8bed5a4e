const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digitCount = 10;

/** Builds the global id of a record: ten digits for the time and ten from at most 12 random hexadecimal digits, so that ids sort by
 *  creation and two clones never create the same. */
export function toUid(at: string, hex: string): string {
  if (at !== encodedTime.at) encodedTime = { at, digits: encode(Math.max(0, Date.parse(at) || 0)) };
  return encodedTime.digits + encode(Number.parseInt(hex, 16));
}

/** The last time that was encoded: all tasks of a batch have the same. */
let encodedTime = { at: '', digits: '' };

/** Reads a uid again: the time in milliseconds, and the 12 hexadecimal digits. */
export const decodeUid = (uid: string): { time: number; hex: string } => ({
  time: decode(uid.slice(0, digitCount)),
  hex: decode(uid.slice(digitCount)).toString(16).padStart(12, '0'),
});

export const uidPattern = /^[0-9a-hjkmnp-tv-z]{20}$/;

/** Encodes 50 bits as ten digits, in halves: V8 allocates an object for every larger number, and a batch encodes thousands. */
const encode = (number: number): string => encodeHalf(Math.floor(number / 2 ** 25)) + encodeHalf(number % 2 ** 25);

const encodeHalf = (half: number): string =>
  alphabet.charAt((half >> 20) & 31) +
  alphabet.charAt((half >> 15) & 31) +
  alphabet.charAt((half >> 10) & 31) +
  alphabet.charAt((half >> 5) & 31) +
  alphabet.charAt(half & 31);

const decode = (digits: string): number => [...digits].reduce((number, digit) => number * 32 + Math.max(0, alphabet.indexOf(digit)), 0);
