import { describe, expect, it } from 'vitest';
import { createKernel, type Kernel } from '../../src/embedding/model/kernel.ts';
import { SHAPE, WIDE } from '../../src/embedding/weights/layout.ts';

const PAGE = 65_536;
const HIDDEN = SHAPE.hidden;

/** A kernel with its scratch set up and `bytes` of room behind it. */
function prepare(bytes: number): Kernel & { readonly free: number } {
  const kernel = createKernel();
  const table = 64;
  const free = table + kernel.exports.scratchBytes(256) + 64;
  kernel.memory.grow(Math.ceil((free + bytes) / PAGE));
  kernel.exports.init(0, table, 256);
  return { ...kernel, free: Math.ceil(free / 64) * 64 };
}

/** The error function to double precision: Taylor's series below 3, a continued fraction above. */
function erf(x: number): number {
  if (x < 0) return -erf(-x);
  if (x < 3) {
    let term = x;
    let sum = x;
    for (let n = 1; n < 200; n++) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return 1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
}

function rampOf(from: number, to: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
}

describe('functions between the products', () => {
  it('the erf of the GELU is within 6e-7 of the exact one, from -10 to 10', () => {
    const count = 20_000;
    const { exports, memory, free } = prepare(count * 4);
    const values = new Float32Array(memory.buffer, free, count);
    const inputs = rampOf(-10, 10, count);
    values.set(inputs);
    exports.gelu(free, count);
    let worst = 0;
    inputs.forEach((x, i) => {
      const error = Math.abs((values[i] ?? 0) - (x / 2) * (1 + erf(x / Math.SQRT2)));
      // GELU = x/2 × (1 + erf): the error of erf is that of the result over x/2.
      worst = Math.max(worst, (error - 1e-9) / Math.abs(x / 2));
    });
    expect(worst).toBeLessThanOrEqual(6e-7);
  });

  it('the exponential is within 1e-6 (relative) from -87 to 0', () => {
    const count = 20_000;
    const { exports, memory, free } = prepare(count * 4);
    const values = new Float32Array(memory.buffer, free, count);
    const inputs = rampOf(-87, 0, count);
    values.set(inputs);
    exports.exponentials(free, count);
    let worst = 0;
    inputs.forEach((x, i) => {
      worst = Math.max(worst, Math.abs((values[i] ?? 0) / Math.exp(x) - 1));
    });
    expect(worst).toBeLessThanOrEqual(1e-6);
  });
});

describe('integer ranges, at their bounds', () => {
  it.each([
    [HIDDEN, 1],
    [HIDDEN, 2],
    [HIDDEN, 3],
    [HIDDEN, 4],
    [WIDE, 1],
    [WIDE, 2],
    [WIDE, 3],
    [WIDE, 4],
  ])('a product of depth %i over %i rows cannot overflow with every factor at its largest', (depth, rows) => {
    const { exports, memory, free } = prepare(4 * depth * 4 + 8 * depth + 64 + 4 * 8 * 4);
    const inputAt = free;
    const weightsAt = inputAt + 4 * depth * 4;
    const scalesAt = weightsAt + 8 * depth;
    const biasAt = scalesAt + 32;
    const outAt = biasAt + 32;
    new Float32Array(memory.buffer, inputAt, rows * depth).fill(1);
    const weights = new Int8Array(memory.buffer, weightsAt, 8 * depth);
    // Even columns at +127, odd ones at -127: both ends of int32 are met.
    for (let i = 0; i < weights.length; i++) weights[i] = (i >> 1) % 2 === 0 ? 127 : -127;
    new Float32Array(memory.buffer, scalesAt, 8).fill(1);
    new Float32Array(memory.buffer, biasAt, 8).fill(0.5);
    exports.quantiseRows(inputAt, rows, depth);
    exports.linear(rows, depth, 8, weightsAt, scalesAt, biasAt, outAt);
    const out = new Float32Array(memory.buffer, outAt, rows * 8);
    for (let i = 0; i < out.length; i++) {
      const exact = (i % 2 === 0 ? 127 : -127) * depth + 0.5;
      expect(Math.abs((out[i] ?? 0) / exact - 1)).toBeLessThan(1e-4);
    }
  });

  it('attention scores and the sum over 256 values cannot overflow with every factor at its largest', () => {
    const { exports, memory } = prepare(0);
    const tokens = 256;
    const rows = new Float32Array(memory.buffer, exports.qkv.value, tokens * 3 * HIDDEN);
    for (let token = 0; token < tokens; token++) {
      // Equal queries and keys: every score is the largest there is. The last key points the other way.
      const isLast = token === tokens - 1;
      rows.fill(1, token * 3 * HIDDEN, token * 3 * HIDDEN + HIDDEN);
      rows.fill(isLast ? -1 : 1, token * 3 * HIDDEN + HIDDEN, token * 3 * HIDDEN + 2 * HIDDEN);
      rows.fill(isLast ? -2 : 2, token * 3 * HIDDEN + 2 * HIDDEN, (token + 1) * 3 * HIDDEN);
    }
    exports.attend(0, tokens);
    const context = new Float32Array(memory.buffer, exports.context.value, tokens * HIDDEN);
    // A score of 32 against one of -32: the last value has no weight. An overflow would turn the signs round.
    expect(context.every((value) => Math.abs(value - 2) < 0.01)).toBe(true);
  });
});
