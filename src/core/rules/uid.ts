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

/** Encodes 50 bits as ten digits, in halves: V8 allocates an object for every larger number, and a batch encodes thousands. One call, because
 *  every text that is joined from two is an object, too. */
function encode(number: number): string {
  const high = Math.floor(number / 2 ** 25);
  const low = number % 2 ** 25;
  return String.fromCharCode(
    codeAt(high, 20),
    codeAt(high, 15),
    codeAt(high, 10),
    codeAt(high, 5),
    codeAt(high, 0),
    codeAt(low, 20),
    codeAt(low, 15),
    codeAt(low, 10),
    codeAt(low, 5),
    codeAt(low, 0),
  );
}

const codeAt = (half: number, shift: number): number => alphabet.charCodeAt((half >> shift) & 31);

const decode = (digits: string): number => [...digits].reduce((number, digit) => number * 32 + Math.max(0, alphabet.indexOf(digit)), 0);
