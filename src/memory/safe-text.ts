import { cleanText, redactSecrets } from '../text/index.ts';

/** A text as it may touch the disk or leave the room: cleaned, and with its secrets redacted. White space at its ends is kept. */
export function safeText(text: string): string {
  return redactSecrets(cleanText(text).text).text;
}
