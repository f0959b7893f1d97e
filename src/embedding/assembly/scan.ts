// Exact and approximate dot products of one query with many rows. No heap: every address is handed in.
//
// A row is kept in one of two forms:
//   float  `dimension` float32 values;
//   split  24-bit fixed point in two planes, value = (high × 65,536 + low) × scale, high in int8, low in int16. The
//          high plane alone is the int8 pre-scan; both planes give back every value to 2^-24 of the row's peak.
// `dimension` is a multiple of 16.

/** A row's peak: 127 × 65,536, so that the high part fits int8; below 2^23, so that the whole is exact in float32. */
const FIXED_RANGE: f32 = 8323072;
const LOW_BITS: i32 = 16;
/** Half of 2^16. */
const HALF_UNIT: i32 = 32768;
/** Below this a row counts as zero. */
const SMALLEST_PEAK: f32 = 1e-20;

@inline
function totalFloat(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

@inline
function totalInteger(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + (i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3));
}

/** Dot product of one float row. The order of the sums is that of `scanFloat`, so both give the same bits. */
export function dotFloat(row: usize, dimension: i32, query: usize): f32 {
  let even = f32x4.splat(0), odd = f32x4.splat(0);
  const end = row + (dimension << 2);
  while (row < end) {
    even = f32x4.add(even, f32x4.mul(v128.load(row), v128.load(query)));
    odd = f32x4.add(odd, f32x4.mul(v128.load(row, 16), v128.load(query, 16)));
    row += 32;
    query += 32;
  }
  return totalFloat(f32x4.add(even, odd));
}

/** Dot products of `count` float rows, four at a time, into `scores`. */
export function scanFloat(rows: usize, count: i32, dimension: i32, query: usize, scores: usize): void {
  const bytes: usize = dimension << 2;
  let left = count;
  for (; left >= 4; left -= 4) {
    let even0 = f32x4.splat(0), odd0 = f32x4.splat(0), even1 = f32x4.splat(0), odd1 = f32x4.splat(0);
    let even2 = f32x4.splat(0), odd2 = f32x4.splat(0), even3 = f32x4.splat(0), odd3 = f32x4.splat(0);
    let row0 = rows;
    let at = query;
    const end = query + bytes;
    while (at < end) {
      const q0 = v128.load(at), q1 = v128.load(at, 16);
      const row1 = row0 + bytes, row2 = row1 + bytes, row3 = row2 + bytes;
      even0 = f32x4.add(even0, f32x4.mul(v128.load(row0), q0));
      odd0 = f32x4.add(odd0, f32x4.mul(v128.load(row0, 16), q1));
      even1 = f32x4.add(even1, f32x4.mul(v128.load(row1), q0));
      odd1 = f32x4.add(odd1, f32x4.mul(v128.load(row1, 16), q1));
      even2 = f32x4.add(even2, f32x4.mul(v128.load(row2), q0));
      odd2 = f32x4.add(odd2, f32x4.mul(v128.load(row2, 16), q1));
      even3 = f32x4.add(even3, f32x4.mul(v128.load(row3), q0));
      odd3 = f32x4.add(odd3, f32x4.mul(v128.load(row3, 16), q1));
      row0 += 32;
      at += 32;
    }
    f32.store(scores, totalFloat(f32x4.add(even0, odd0)));
    f32.store(scores, totalFloat(f32x4.add(even1, odd1)), 4);
    f32.store(scores, totalFloat(f32x4.add(even2, odd2)), 8);
    f32.store(scores, totalFloat(f32x4.add(even3, odd3)), 12);
    rows += bytes << 2;
    scores += 16;
  }
  for (; left > 0; left--) {
    f32.store(scores, dotFloat(rows, dimension, query));
    rows += bytes;
    scores += 4;
  }
}

/**
 * Pre-scan of the high planes of `count` rows. `query` is int16 within a range that the host chooses so that
 * dimension × 127 × range < 2^31; `queryScale` turns its units (and the 65,536 of the high plane) back.
 */
export function scanHigh(high: usize, scales: usize, count: i32, dimension: i32, query: usize, queryScale: f32, scores: usize): void {
  const bytes: usize = dimension;
  let left = count;
  for (; left >= 4; left -= 4) {
    let sum0 = i32x4.splat(0), sum1 = i32x4.splat(0), sum2 = i32x4.splat(0), sum3 = i32x4.splat(0);
    let row0 = high;
    let at = query;
    const end = query + (bytes << 1);
    while (at < end) {
      const q = v128.load(at);
      const row1 = row0 + bytes, row2 = row1 + bytes, row3 = row2 + bytes;
      sum0 = i32x4.add(sum0, i32x4.dot_i16x8_s(v128.load8x8_s(row0), q));
      sum1 = i32x4.add(sum1, i32x4.dot_i16x8_s(v128.load8x8_s(row1), q));
      sum2 = i32x4.add(sum2, i32x4.dot_i16x8_s(v128.load8x8_s(row2), q));
      sum3 = i32x4.add(sum3, i32x4.dot_i16x8_s(v128.load8x8_s(row3), q));
      row0 += 8;
      at += 16;
    }
    f32.store(scores, <f32>totalInteger(sum0) * f32.load(scales) * queryScale);
    f32.store(scores, <f32>totalInteger(sum1) * f32.load(scales, 4) * queryScale, 4);
    f32.store(scores, <f32>totalInteger(sum2) * f32.load(scales, 8) * queryScale, 8);
    f32.store(scores, <f32>totalInteger(sum3) * f32.load(scales, 12) * queryScale, 12);
    high += bytes << 2;
    scales += 16;
    scores += 16;
  }
  for (; left > 0; left--) {
    let sum = i32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 8) {
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(high + i), v128.load(query + (i << 1))));
    }
    f32.store(scores, <f32>totalInteger(sum) * f32.load(scales) * queryScale);
    high += bytes;
    scales += 4;
    scores += 4;
  }
}

/** Four values of a split row, in units of the row's scale. */
@inline
function joined(high: v128, low: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(i32x4.shl(high, LOW_BITS), low));
}

/** Dot product of one split row with the float query, from all 24 bits. */
export function dotSplit(high: usize, low: usize, scale: f32, dimension: i32, query: usize): f32 {
  let even = f32x4.splat(0), odd = f32x4.splat(0);
  for (let i: usize = 0; i < <usize>dimension; i += 8) {
    const eight = v128.load8x8_s(high + i);
    const lows = v128.load(low + (i << 1));
    const a = joined(i32x4.extend_low_i16x8_s(eight), i32x4.extend_low_i16x8_s(lows));
    const b = joined(i32x4.extend_high_i16x8_s(eight), i32x4.extend_high_i16x8_s(lows));
    even = f32x4.add(even, f32x4.mul(a, v128.load(query + (i << 2))));
    odd = f32x4.add(odd, f32x4.mul(b, v128.load(query + (i << 2), 16)));
  }
  return totalFloat(f32x4.add(even, odd)) * scale;
}

/** The largest absolute value of a float row. */
function peak(row: usize, dimension: i32): f32 {
  let highest = f32x4.splat(SMALLEST_PEAK);
  const end = row + (dimension << 2);
  while (row < end) {
    highest = f32x4.pmax(highest, f32x4.abs(v128.load(row)));
    row += 16;
  }
  return max(
    max(f32x4.extract_lane(highest, 0), f32x4.extract_lane(highest, 1)),
    max(f32x4.extract_lane(highest, 2), f32x4.extract_lane(highest, 3)),
  );
}

/** Four floats to fixed point. */
@inline
function toFixed(at: usize, inverse: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(at), inverse)));
}

/** The high part, rounded so that the low part is a signed 16-bit rest. */
@inline
function upperOf(fixed: v128): v128 {
  return i32x4.shr_s(i32x4.add(fixed, i32x4.splat(HALF_UNIT)), LOW_BITS);
}

/** Splits `count` float rows into planes and scales. */
export function split(rows: usize, count: i32, dimension: i32, high: usize, low: usize, scales: usize): void {
  for (let row = 0; row < count; row++) {
    const highest = peak(rows, dimension);
    const inverse = f32x4.splat(FIXED_RANGE / highest);
    for (let i = 0; i < dimension; i += 8) {
      const a = toFixed(rows + (i << 2), inverse), b = toFixed(rows + (i << 2) + 16, inverse);
      const upperA = upperOf(a), upperB = upperOf(b);
      const uppers = i16x8.narrow_i32x4_s(upperA, upperB);
      v128.store64_lane(high + i, i8x16.narrow_i16x8_s(uppers, uppers), 0);
      const lowA = i32x4.sub(a, i32x4.shl(upperA, LOW_BITS)), lowB = i32x4.sub(b, i32x4.shl(upperB, LOW_BITS));
      v128.store(low + (i << 1), i16x8.narrow_i32x4_s(lowA, lowB));
    }
    f32.store(scales, highest / FIXED_RANGE);
    rows += dimension << 2;
    high += dimension;
    low += dimension << 1;
    scales += 4;
  }
}
