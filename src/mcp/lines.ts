/** Most bytes of one message. A call may carry 65,536 bytes of content; this leaves room for every escape. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** `tooLong` stands for a line over the limit, whose text was dropped as it came. */
export type Line = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'tooLong' };

const NEWLINE = 0x0a;

/** Cuts a byte stream into lines, whatever the chunks are. Empty lines are left out; memory stays under the limit. */
export function createLineSplitter(maxBytes = MAX_LINE_BYTES): (chunk: Uint8Array) => Line[] {
  let parts: Uint8Array[] = [];
  let length = 0;
  let dropping = false;

  function keep(piece: Uint8Array): void {
    length += piece.length;
    if (length > maxBytes) {
      dropping = true;
      parts = [];
    } else if (piece.length > 0) {
      parts.push(piece);
    }
  }

  function finish(): Line | undefined {
    const text = dropping ? '' : Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
    const line: Line | undefined = dropping
      ? { kind: 'tooLong' }
      : text.trim() === ''
        ? undefined
        : { kind: 'line', text };
    parts = [];
    length = 0;
    dropping = false;
    return line;
  }

  return (chunk) => {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      const line = finish();
      if (line !== undefined) lines.push(line);
      start = end + 1;
    }
    keep(chunk.subarray(start));
    return lines;
  };
}
