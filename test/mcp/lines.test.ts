import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createLineSplitter, MAX_LINE_BYTES } from '../../src/mcp/lines.ts';
import {
  cleanEnvironment,
  converse,
  FIXTURE_SERVER,
  INITIALIZE,
  protocolLines,
  request,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('the line splitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !/[\r\n]/.test(text) && text.trim() !== '');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map((text, index) => `${text}${index % 2 === 0 ? '\n' : '\r\n'}`).join(''));
          const split = createLineSplitter();
          const seen: string[] = [];
          for (let start = 0, turn = 0; start < bytes.length; turn++) {
            const end = start + (cuts[turn % cuts.length] ?? 1);
            for (const found of split(bytes.subarray(start, end))) if (found.kind === 'line') seen.push(found.text);
            start = end;
          }
          expect(seen).toEqual(lines);
        },
      ),
    );
  });

  it('drops a line over the limit, says so once, and reads the next one', () => {
    const split = createLineSplitter(4);
    expect(split(Buffer.from('12345'))).toEqual([]);
    expect(split(Buffer.from('678'))).toEqual([]);
    expect(split(Buffer.from('9\n\n \n1234\nab'))).toEqual([{ kind: 'tooLong' }, { kind: 'line', text: '1234' }]);
    expect(split(Buffer.from('cd\n'))).toEqual([{ kind: 'line', text: 'abcd' }]);
  });
});

describe('what is no request', () => {
  async function answers(...lines: string[]): Promise<Record<string, unknown>[]> {
    const all = [
      ...INITIALIZE,
      ...lines,
      request('tools/call', { name: 'fixture_echo', arguments: { text: 'still here' } }, 99),
    ];
    const { stdout, code } = await converse(typescript(FIXTURE_SERVER), all, cleanEnvironment(folder.path));
    expect(code).toBe(0);
    const messages = protocolLines(stdout);
    expect(messages.find(({ id }) => id === 99)).toMatchObject({
      result: { structuredContent: { text: 'still here' } },
    });
    return messages.filter(({ id }) => id !== 1 && id !== 99);
  }

  it.each<[string, string, number, unknown]>([
    ['a line that is not JSON', '{"jsonrpc":', -32700, null],
    ['bytes that are no text', '\u0000\ufffd', -32700, null],
    ['a batch', `[${request('ping', {}, 5)}]`, -32600, null],
    ['an empty batch', '[]', -32600, null],
    ['a number', '7', -32600, null],
    ['null', 'null', -32600, null],
    ['an object without a version', '{"id":5,"method":"ping"}', -32600, 5],
    ['another version', '{"jsonrpc":"1.0","id":"five","method":"ping"}', -32600, 'five'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32600, 5],
    ['an unknown method', request('nothing/like_this', {}, 5), -32601, 5],
    ['a call without a name', request('tools/call', {}, 5), -32602, 5],
    ['a call of nothing', request('tools/call', { name: 'none' }, 5), -32602, 5],
  ])('%s is answered, and the process goes on', async (_what, line, code, id) => {
    expect(await answers(line)).toMatchObject([{ id, error: { code } }]);
  });

  it('a line over the limit is answered once, whatever it holds', async () => {
    const long = request('tools/call', { name: 'fixture_echo', arguments: { text: 'x'.repeat(MAX_LINE_BYTES) } }, 5);
    expect(await answers(long)).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it('an unknown notification, an answer to nothing and an empty line are passed over', async () => {
    expect(
      await answers(
        '{"jsonrpc":"2.0","method":"notifications/none"}',
        '{"jsonrpc":"2.0","id":3,"result":{}}',
        '',
        '   ',
      ),
    ).toEqual([]);
  });
});
