// What all parts of the encoder know of BERT's shape. Sizes in values, `_BYTES` in bytes of float32.

export const HIDDEN: i32 = 384;
export const HEADS: i32 = 12;
export const HEAD_SIZE: i32 = 32;
export const FEED_FORWARD: i32 = 1536;
/** The feed-forward block with 64 neurons computed twice or more; the weights file's layout says why. */
export const WIDE: i32 = FEED_FORWARD + 64;
/** Query, key and value of one token beside each other: one product makes all three. */
export const QKV: i32 = 3 * HIDDEN;
export const LAYERS: i32 = 6;
/** Rows that go through the feed-forward block together; keeps its activations (64 × 1,600 floats) in the L2 cache. */
export const CHUNK: i32 = 64;

export const HIDDEN_BYTES: i32 = HIDDEN * 4;
export const QKV_BYTES: i32 = QKV * 4;
export const HEAD_BYTES: i32 = HEAD_SIZE * 4;
