/** English words without information for search, in lower case; contractions without their apostrophe part. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can cannot could did do does doing done down during each either else ever every few for from further get gets
  got had has have having he her here hers herself him himself his how however i if in into is it its itself just
  let like may me might more most much must my myself neither never no nor not now of off on once only onto or other
  our ours ourselves out over own per quite rather same shall she should since so some such than that the their theirs
  them themselves then there these they this those though through thus to too under until up upon us very via was we
  were what when where whether which while who whom whose why will with within without would yet you your yours
  yourself yourselves`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * Words that two repeats of a statement may differ in: articles, forms of "be" and "do", pronouns. Much smaller than
 * {@link STOP_WORDS}, because "on" and "off", "to" and "from", "before" and "after" turn a statement round.
 */
export const FILLER_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those is are was were be been being am it its of and as at by for he him his she her hers
  they them their theirs we us our ours you your yours i me my mine do does did doing has have had having will would
  there here just very so also too which who whom whose what`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
