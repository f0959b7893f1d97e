import { isDropped, isIdeograph, isNonspacingMark, isPlainAscii, isWhiteSpace } from './characters.ts';

/**
 * BERT's uncased normaliser, in the order of the reference: drop controls, turn white space into blanks, set ideographs
 * apart, decompose (NFD), drop nonspacing marks, lower-case. Lower-casing goes character by character, so that a capital
 * sigma is never a final one.
 */
export function normalise(text: string): string {
  if (isPlainAscii(text)) return text.toLowerCase();
  let clean = '';
  for (const character of text) {
    if (isDropped(character)) continue;
    if (isWhiteSpace(character)) clean += ' ';
    else clean += isIdeograph(character) ? ` ${character} ` : character;
  }
  let normal = '';
  for (const character of clean.normalize('NFD')) {
    if (!isNonspacingMark(character)) normal += character.toLowerCase();
  }
  return normal;
}
