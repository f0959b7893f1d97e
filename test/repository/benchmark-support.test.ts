import { describe, expect, it } from 'vitest';
import { minilmAsOnnx } from '../../bench/peers/minilm-onnx.ts';
import { alternate } from '../../bench/support/alternate.ts';
import { externalData } from '../../bench/support/folders.ts';
import { OnnxGraph } from '../../bench/support/onnx-writer.ts';
import { readProcessMemory } from '../../bench/support/process-memory.ts';
import { seededRandom, unitVector } from '../../bench/support/random.ts';
import { seededNotes } from '../../bench/support/seeded-notes.ts';
import { figure, median, summarise } from '../../bench/support/stats.ts';

describe('statistics', () => {
  it('take the nearest rank, whatever the order of the samples', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(summarise(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({
      count: 100,
      median: 50,
      p95: 95,
      max: 100,
    });
    expect(() => median([])).toThrow('no samples');
  });

  it('print about three digits', () => {
    expect([0.1234, 12.345, 1234.5, 3].map(figure)).toEqual(['0.12', '12.3', '1,235', '3']);
  });
});

describe('seeded data', () => {
  it('is the same for the same seed, and another for another', () => {
    const [first, again, other] = [seededNotes(50, 3), seededNotes(50, 3), seededNotes(50, 4)].map((notes) => [
      ...notes,
    ]);
    expect(first).toEqual(again);
    expect(first?.[0]?.content).not.toBe(other?.[0]?.content);
    expect(new Set(first?.map(({ content }) => content)).size).toBe(50);
  });

  it('has vectors of length 1 and notes of about 600 characters', () => {
    const vector = unitVector(seededRandom(9), 384);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const lengths = [...seededNotes(200)].map(({ content }) => content.length);
    expect(median(lengths)).toBeGreaterThan(450);
    expect(median(lengths)).toBeLessThan(750);
  });
});

describe('variants', () => {
  it('run in turns, the order turned around with each round', async () => {
    const order: string[] = [];
    const note = (name: string) => (round: number) => {
      order.push(name);
      return round;
    };
    expect(await alternate(3, { a: note('a'), b: note('b') })).toEqual({ a: [0, 1, 2], b: [0, 1, 2] });
    expect(order.join('')).toBe('abbaab');
  });
});

describe('memory of a process', () => {
  it('is read for a living process, and is nothing for one that is gone', (context) => {
    context.skip(process.platform !== 'linux', 'reads /proc, which is there on Linux alone');
    const memory = readProcessMemory(process.pid);
    expect(memory?.resident).toBeGreaterThan(10);
    expect(memory?.peak).toBeGreaterThanOrEqual(memory?.resident ?? Number.NaN);
    expect(readProcessMemory(2 ** 22 + 1)).toBeUndefined();
  });
});

describe('ONNX files', () => {
  it('are written byte for byte as the format says', () => {
    const graph = new OnnxGraph();
    graph.output(graph.node('Neg', [graph.input('x', [1])]), 'y', [1]);
    const bytes = Buffer.from(graph.toFile('g'));
    // ir_version = 6, then the graph (field 7); at the end the operator set: the standard domain, version 11.
    expect(bytes.subarray(0, 3).toString('hex')).toBe('08063a');
    expect(bytes.subarray(-6).toString('hex')).toBe('42040a00100b');
    expect(bytes.includes(Buffer.from('22034e6567', 'hex')), 'op_type = Neg').toBe(true);
  });

  it('hold the whole model', (context) => {
    const weights = externalData('models/all-MiniLM-L6-v2/model.safetensors');
    context.skip(weights === undefined, 'the published weights are not at hand');
    const file = minilmAsOnnx(weights ?? '');
    expect(file.length).toBeGreaterThan(90_000_000);
    expect(file.length).toBeLessThan(91_000_000);
  });
});
