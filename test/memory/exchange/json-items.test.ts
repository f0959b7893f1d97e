import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonItem, JsonItemScanner } from '../../../src/memory/exchange/json-items.ts';
import { sectionOfOldFile } from '../../../src/memory/exchange/old-items.ts';

function scan(text: string, chunkBytes = 7): { items: JsonItem[]; end: ReturnType<JsonItemScanner['end']> } {
  const scanner = new JsonItemScanner(sectionOfOldFile);
  const bytes = Buffer.from(text);
  const items: JsonItem[] = [];
  // One buffer for all chunks, as a reader of files has it.
  const buffer = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const length = bytes.copy(buffer, 0, at, at + chunkBytes);
    items.push(...scanner.push(buffer.subarray(0, length)));
  }
  return { items, end: scanner.end() };
}

describe('JsonItemScanner', () => {
  it('gives the same items as JSON.parse, however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        (memories, errors, chunk, indent) => {
          const text = JSON.stringify(
            { patterns: { a: [1] }, memories, other: [{ memories: [0] }], errors },
            null,
            indent,
          );
          const { items, end } = scan(text, chunk);
          expect(items.filter(({ section }) => section === 'memories').map(({ raw }) => JSON.parse(raw))).toEqual(
            JSON.parse(JSON.stringify(memories)),
          );
          const found = items.filter(({ section }) => section === 'errors');
          expect(found.map(({ key }) => key)).toEqual(Object.keys(JSON.parse(text).errors));
          expect(found.map(({ raw }) => JSON.parse(raw))).toEqual(Object.values(JSON.parse(text).errors));
          expect(end).toEqual({ trailingBytes: 0, oversized: 0 });
        },
      ),
    );
  });

  it('never gives a cut item, wherever the file ends', () => {
    const memories = [{ content: 'one "quoted" {' }, null, 5, { content: 'two ]', embedding: [0.1, -2] }];
    const text = JSON.stringify({ memories });
    for (let length = 0; length < text.length; length++) {
      const { items, end } = scan(text.slice(0, length));
      expect(items.map(({ raw }) => JSON.parse(raw))).toEqual(memories.slice(0, items.length));
      if (length > 0) expect(end.cutIn, text.slice(0, length)).toBeDefined();
    }
  });

  it('counts what stands after the end, and reads past a byte-order mark', () => {
    expect(scan('\ufeff{"memories":[1]} }x\n').end.trailingBytes).toBe(2);
    expect(scan('\ufeff{"memories":[1]}').items).toEqual([{ section: 'memories', raw: '1' }]);
  });

  it('goes on after an item that is no JSON', () => {
    const { items } = scan('{"memories":[{"content":"a"}, ### , {"content":"b"}]}');
    expect(items.map(({ raw }) => raw)).toEqual(['{"content":"a"}', '###', '{"content":"b"}']);
  });

  it('finds the sections of an old export under data', () => {
    expect(scan('{"success":true,"data":{"version":"2.0","memories":[7]}}').items).toEqual([
      { section: 'memories', raw: '7' },
    ]);
  });
});
