/**
 * Runs the variants in turns, so that a slow minute of the machine meets all of them: the order turns around with each
 * round. Gives each variant's samples, one per round.
 */
export async function alternate<Name extends string>(
  rounds: number,
  variants: Readonly<Record<Name, (round: number) => number | Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples[name].push(await variants[name](round));
    }
  }
  return samples;
}

/** Milliseconds that `body` takes. */
export async function timed(body: () => unknown): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}
