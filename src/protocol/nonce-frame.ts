const NONCE = /^[0-9a-f]{16}$/;

/**
 * A block between `cairn-data <nonce> begin` and `cairn-data <nonce> end`, so that a reader can tell data from
 * instructions. The nonce is 16 hex digits, random and new each time; another form is a defect and throws. An empty
 * block stays empty.
 */
export function frameWithNonce(block: string, nonce: string): string {
  if (!NONCE.test(nonce)) throw new Error('frameWithNonce: a nonce is 16 lower-case hex digits');
  return block === '' ? '' : `cairn-data ${nonce} begin\n${block}\ncairn-data ${nonce} end`;
}
