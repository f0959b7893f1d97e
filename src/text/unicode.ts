/**
 * Tests on Unicode properties. The patterns stand inside the functions on purpose: V8 expands their property tables
 * when it first meets them, which would cost every start of the program 9 ms, and keeps them afterwards.
 */

/** Whether a text holds a letter or a digit of any script. */
export function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Whether one character is a letter. */
export function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

/** Whether one character is a letter of the Latin script. */
export function isLatinLetter(character: string): boolean {
  return /^\p{Script=Latin}$/u.test(character) && isLetter(character);
}

/** Whether one character is a combining mark. */
export function isMark(character: string): boolean {
  return /^\p{M}$/u.test(character);
}

/** Whether one character is a letter, a digit, a mark or `_`. */
export function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}\p{M}_]$/u.test(character);
}

/** Whether one character is a picture or the skin colour of one. */
export function isPictograph(character: string): boolean {
  return /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u.test(character);
}

/** Whether one character can be shown as an emoji; digits can. */
export function isEmoji(character: string): boolean {
  return /^\p{Emoji}$/u.test(character);
}

/** Whether one character belongs to a script whose spelling needs joiners: Arabic and its kin, the Indic family, Mongolian. */
export function isOfJoiningScript(character: string): boolean {
  return /^[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Nko}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]$/u.test(
    character,
  );
}
