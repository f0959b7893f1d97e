import { randomBytes } from 'node:crypto';

/** Crockford's base 32: no I, L, O, U, so an id survives being read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes ids; a capability, so that tests can make them predictable. */
export interface IdSource {
  /** A new id `<prefix>_<26 characters>`: 48 bits of time, then 80 random bits (the ULID layout, lower case). */
  next(prefix: string): string;
}

function encodeBase32(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/** Ids from the system's random source; `now` in milliseconds. Ids made in one millisecond have no order. */
export function createIdSource(now: () => number, random: (bytes: number) => Uint8Array = randomBytes): IdSource {
  return {
    next(prefix) {
      const tail = BigInt(`0x${Buffer.from(random(10)).toString('hex')}`);
      return `${prefix}_${encodeBase32(BigInt(now()), 10)}${encodeBase32(tail, 16)}`;
    },
  };
}
