/**
 * Reads the items of a large JSON file as they go by: in bounded memory, without blocking, and as far as a damaged file
 * is whole. It looks only at strings and brackets outside of an item, so one broken item costs that item alone.
 *
 * A general streaming parser was measured and not taken: it makes a value of each number of each stored vector, 4.1 s
 * for 10,000 items (79 MB) where this takes well under one, and it ends at the first fault.
 */

/** One direct member of a section, as text that is yet to be parsed. */
export interface JsonItem {
  /** Name of the container: `memories`, `errors`, … */
  readonly section: string;
  /** The member's key where the container is an object. */
  readonly key?: string;
  readonly raw: string;
}

/** What was there beside whole items. */
export interface ScanEnd {
  /** The file ended inside a value: the section of the item that was cut, or of the container. */
  readonly cutIn?: string;
  /** Bytes after the end of the outermost value, white space aside. */
  readonly trailingBytes: number;
  /** Items left out because they were larger than {@link MAX_ITEM_BYTES}. */
  readonly oversized: number;
}

const MAX_ITEM_BYTES = 16 * 1024 * 1024;
/** Longest key that is kept; longer ones name nothing that is looked for. */
const MAX_KEY_BYTES = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

interface Frame {
  readonly isObject: boolean;
  /** Name of the section, where this container is one whose members are items. */
  readonly section: string | undefined;
  /** In an object: the key of the value that comes next; undefined before a key. */
  key: string | undefined;
}

/** Says whether the container at this path (keys from the root) is a section, and what it is called. */
export type SectionOf = (path: readonly string[]) => string | undefined;

/** Feed it chunks with {@link push}; each gives the items that were completed by it. Ask {@link end} last. */
export class JsonItemScanner {
  readonly #sectionOf: SectionOf;
  readonly #frames: Frame[] = [];
  readonly #path: string[] = [];
  #isStarted = false;
  #isOver = false;
  #trailingBytes = 0;
  #oversized = 0;

  #inString = false;
  #isEscaped = false;
  /** Bytes of the string or item that is being collected, from earlier chunks. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  /** Where collecting began in the present chunk. */
  #from = 0;
  /** A key is being collected. */
  #isKey = false;
  /** An item is being collected: open brackets inside it, or -1 for a bare word or a string. */
  #item: { section: string; key: string | undefined; depth: number; isBare: boolean } | undefined;

  constructor(sectionOf: SectionOf) {
    this.#sectionOf = sectionOf;
  }

  push(chunk: Uint8Array): JsonItem[] {
    const items: JsonItem[] = [];
    this.#from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#endString(chunk, at, items);
      } else if (this.#item !== undefined && !this.#item.isBare) {
        if (byte === QUOTE) this.#inString = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#item.depth += 1;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
          this.#item.depth -= 1;
          if (this.#item.depth === 0) this.#endItem(chunk, at + 1, items);
        }
      } else this.#step(chunk, at, byte, items);
    }
    if (this.#item !== undefined || this.#isKey) this.#collect(chunk, chunk.length);
    return items;
  }

  end(): ScanEnd {
    const isCut = this.#frames.length > 0 || (this.#isStarted && !this.#isOver);
    const cutIn = this.#item?.section ?? this.#frames.findLast(({ section }) => section !== undefined)?.section ?? '';
    return { ...(isCut ? { cutIn } : {}), trailingBytes: this.#trailingBytes, oversized: this.#oversized };
  }

  /** One byte between tokens, or inside a bare word. */
  #step(chunk: Uint8Array, at: number, byte: number, items: JsonItem[]): void {
    const item = this.#item;
    if (item !== undefined && (isSpace(byte) || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) {
      this.#endItem(chunk, at, items);
    }
    if (isSpace(byte)) return;
    if (this.#isOver) {
      this.#trailingBytes += 1;
      return;
    }
    const frame = this.#frames.at(-1);
    switch (byte) {
      case COMMA:
        if (frame !== undefined) frame.key = undefined;
        return;
      case COLON:
        return;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#leave();
        return;
      default:
        if (this.#item !== undefined) return;
        this.#startValue(at, byte, frame);
    }
  }

  #startValue(at: number, byte: number, frame: Frame | undefined): void {
    const isFirst = !this.#isStarted;
    this.#isStarted = true;
    if (frame?.isObject === true && frame.key === undefined) {
      // Anything but a string here is no key; it is passed over like a bare word.
      if (byte === QUOTE) {
        this.#inString = true;
        this.#isKey = true;
        this.#from = at + 1;
      }
      return;
    }
    if (frame?.section !== undefined) {
      const isContainer = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
      this.#item = { section: frame.section, key: frame.key, depth: isContainer ? 1 : 0, isBare: !isContainer };
      this.#from = at;
      this.#inString = byte === QUOTE;
      return;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#enter(byte === OPEN_OBJECT, frame);
    else if (isFirst && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) this.#isOver = true;
    // The three bytes of a byte-order mark may stand before the outermost value.
    else if (isFirst) this.#isStarted = false;
  }

  #enter(isObject: boolean, parent: Frame | undefined): void {
    if (parent !== undefined) this.#path.push(parent.isObject ? (parent.key ?? '') : '');
    this.#frames.push({ isObject, section: this.#sectionOf(this.#path), key: undefined });
  }

  #leave(): void {
    this.#frames.pop();
    this.#path.pop();
    if (this.#frames.length === 0) this.#isOver = true;
  }

  #endString(chunk: Uint8Array, at: number, items: JsonItem[]): void {
    this.#inString = false;
    if (this.#isKey) {
      this.#isKey = false;
      const frame = this.#frames.at(-1);
      const text = this.#take(chunk, at);
      if (frame !== undefined) frame.key = text === undefined || text.length > MAX_KEY_BYTES ? '' : unescapeKey(text);
    } else if (this.#item?.isBare === true) this.#endItem(chunk, at + 1, items);
  }

  #endItem(chunk: Uint8Array, end: number, items: JsonItem[]): void {
    const item = this.#item;
    this.#item = undefined;
    const raw = this.#take(chunk, end);
    if (item === undefined) return;
    if (raw === undefined) this.#oversized += 1;
    else items.push({ section: item.section, ...(item.key === undefined ? {} : { key: item.key }), raw });
  }

  /** Keeps what was read of the present string or item for the next chunk. */
  #collect(chunk: Uint8Array, end: number): void {
    this.#partBytes += end - this.#from;
    // A copy: the caller reads the next chunk into the same memory.
    if (this.#partBytes <= MAX_ITEM_BYTES) this.#parts.push(Uint8Array.from(chunk.subarray(this.#from, end)));
    else this.#parts = [];
  }

  /** The collected text, or undefined where it was too large. */
  #take(chunk: Uint8Array, end: number): string | undefined {
    const before = this.#parts;
    const bytes = this.#partBytes + (end - this.#from);
    const last = chunk.subarray(this.#from, end);
    this.#parts = [];
    this.#partBytes = 0;
    if (bytes > MAX_ITEM_BYTES) return undefined;
    return Buffer.concat([...before, last]).toString('utf8');
  }
}

function unescapeKey(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    // A malformed escape: the key as it stands names the member well enough.
    return text;
  }
}
