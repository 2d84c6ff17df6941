/** Without those that are easily taken for another when they are read aloud or copied by hand: 0 O, 1 l I. */
export const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** 16 of 56 characters are 93 bits. */
export const LENGTH = 16;

const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/];

/** Bytes beyond the last whole multiple of the alphabet would make its first characters likelier. */
const FAIR = 256 - (256 % ALPHABET.length);

function drawn(fill: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const bytes = new Uint8Array(LENGTH * 2);
  let text = "";
  while (text.length < LENGTH) {
    fill(bytes);
    for (const byte of bytes) if (byte < FAIR && text.length < LENGTH) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}

/** Whether the server would refuse it because it holds the name. */
export function holdsName(password: string, name: string): boolean {
  return name !== "" && password.toLowerCase().includes(name.toLowerCase());
}

/**
 * An initial password for the account `name`: small letters, capitals and digits, each at least once, from the
 * browser's source of randomness, and without the name.
 */
export function proposedPassword(
  name: string,
  fill: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => crypto.getRandomValues(bytes),
): string {
  for (;;) {
    const text = drawn(fill);
    if (KINDS.every((kind) => kind.test(text)) && !holdsName(text, name)) return text;
  }
}
