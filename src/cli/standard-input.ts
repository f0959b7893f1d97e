import { CairnError } from '../kernel/index.ts';

/** Largest text that a command reads from standard input, in bytes. */
const MAX_INPUT_BYTES = 1_000_000;

/** All of standard input as text, for an argument that is `-`. Throws `invalid_input` at a terminal, `too_large` beyond 1 MB. */
async function readStandardInput(field: string): Promise<string> {
  if (process.stdin.isTTY) {
    throw new CairnError('invalid_input', `${field} is "-", but nothing is piped in. Try: echo "text" | cairn …`, {
      field,
    });
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > MAX_INPUT_BYTES)
      throw new CairnError('too_large', `Standard input is larger than ${MAX_INPUT_BYTES} bytes.`, { field });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The text itself, or standard input where it is `-`. */
export async function textOrInput(value: string | undefined, field: string): Promise<string | undefined> {
  return value === '-' ? readStandardInput(field) : value;
}
