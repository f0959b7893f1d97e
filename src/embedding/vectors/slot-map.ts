/** A large map is rehashed at once when it grows: at a million ids that blocks for 100 ms. Many small ones do so in turns. */
const SHARDS = 256;

/** Where the row of an id is. Ids are integers from 0. */
export class SlotMap {
  readonly #shards: readonly Map<number, number>[] = Array.from({ length: SHARDS }, () => new Map<number, number>());

  get(id: number): number | undefined {
    return this.#shardOf(id).get(id);
  }

  has(id: number): boolean {
    return this.#shardOf(id).has(id);
  }

  set(id: number, slot: number): void {
    this.#shardOf(id).set(id, slot);
  }

  delete(id: number): void {
    this.#shardOf(id).delete(id);
  }

  #shardOf(id: number): Map<number, number> {
    const shard = this.#shards[id % SHARDS];
    if (shard === undefined) throw new RangeError(`An id is an integer from 0, not ${id}.`);
    return shard;
  }
}
