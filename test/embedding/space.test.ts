import { describe, expect, it } from 'vitest';
import { fingerprintOf, type SpaceParts } from '../../src/embedding/index.ts';

const parts: SpaceParts = {
  provider: 'cairn-minilm',
  model: 'm',
  revision: 'r',
  dimension: 384,
  pooling: 'mean',
  normalised: true,
  queryPrefix: '',
  passagePrefix: '',
  maxTokens: 256,
  weightsHash: 'a'.repeat(64),
};

describe('fingerprintOf', () => {
  it('does not depend on the order of the parts', () => {
    const turned = Object.fromEntries(Object.entries(parts).reverse()) as unknown as SpaceParts;
    expect(fingerprintOf(turned).fingerprint).toBe(fingerprintOf(parts).fingerprint);
  });

  it('M65: every part makes another space, so a model of equal dimension is never compared', () => {
    const others: Partial<SpaceParts>[] = [
      { provider: 'x' },
      { model: 'x' },
      { revision: 'x' },
      { dimension: 768 },
      { pooling: 'cls' },
      { normalised: false },
      { queryPrefix: 'query: ' },
      { passagePrefix: 'passage: ' },
      { maxTokens: 512 },
      { weightsHash: 'b'.repeat(64) },
    ];
    const all = [parts, ...others.map((other) => ({ ...parts, ...other }))].map(
      (each) => fingerprintOf(each).fingerprint,
    );
    expect(others).toHaveLength(Object.keys(parts).length);
    expect(new Set(all).size).toBe(all.length);
  });
});
