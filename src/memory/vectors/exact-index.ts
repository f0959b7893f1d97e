/** Vectors by an integer key, searched exactly. All vectors have length 1, so the dot product is the cosine. */
export interface VectorIndex {
  readonly size: number;
  /** Replaces the vector of a key that is there. */
  add(key: number, vector: Float32Array): void;
  /** The `k` most alike, best first; equal ones by key. Only `candidates`, where they are given. */
  search(vector: Float32Array, k: number, candidates?: readonly number[]): { readonly key: number; readonly score: number }[];
}

const BLOCK = 4_096;

/** The plain scan: a dot product with every vector. */
export class ExactIndex implements VectorIndex {
  readonly #dimension: number;
  readonly #keys: number[] = [];
  readonly #blocks: Float32Array[] = [];
  readonly #places = new Map<number, number>();

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  get size(): number {
    return this.#keys.length;
  }

  add(key: number, vector: Float32Array): void {
    const known = this.#places.get(key);
    if (known !== undefined) {
      this.#blocks[Math.floor(known / BLOCK)]?.set(vector, (known % BLOCK) * this.#dimension);
      return;
    }
    const place = this.#keys.length;
    if (place % BLOCK === 0) this.#blocks.push(new Float32Array(BLOCK * this.#dimension));
    this.#blocks.at(-1)?.set(vector, (place % BLOCK) * this.#dimension);
    this.#keys.push(key);
    this.#places.set(key, place);
  }

  search(vector: Float32Array, k: number, candidates?: readonly number[]): { key: number; score: number }[] {
    const places =
      candidates === undefined
        ? this.#keys.keys()
        : candidates.flatMap((key) => {
            const place = this.#places.get(key);
            return place === undefined ? [] : [place];
          });
    const hits: { key: number; score: number }[] = [];
    for (const place of places) hits.push({ key: this.#keys[place] ?? 0, score: this.#dot(vector, place) });
    return hits.sort((a, b) => b.score - a.score || a.key - b.key).slice(0, k);
  }

  #dot(vector: Float32Array, place: number): number {
    const block = this.#blocks[Math.floor(place / BLOCK)];
    if (block === undefined) return 0;
    const at = (place % BLOCK) * this.#dimension;
    let sum = 0;
    for (let i = 0; i < this.#dimension; i++) sum += (vector[i] ?? 0) * (block[at + i] ?? 0);
    return sum;
  }
}
