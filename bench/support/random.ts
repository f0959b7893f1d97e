/** Numbers in [0, 1) that a seed determines (mulberry32, by Tommy Ettinger; public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A direction drawn evenly from the sphere: normal deviates (Box and Muller), scaled to length 1. */
export function unitVector(random: () => number, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  let squares = 0;
  for (let index = 0; index < dimension; index++) {
    const value = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    vector[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
