/** Escapes `&`, then `<`, then `>`: the one escaper for text that stands between tags. Nothing else is changed. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Undoes {@link escapeMarkup} exactly: `&gt;`, then `&lt;`, then `&amp;`. For text that leaves the tags again. */
export function unescapeMarkup(text: string): string {
  return text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
