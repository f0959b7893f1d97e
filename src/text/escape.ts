/** Escapes `&`, then `<`, then `>`: the one escaper for text that stands between tags. Nothing else is changed. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
