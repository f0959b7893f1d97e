/**
 * Keeps standard output for the protocol alone. This has to be the first import of the server's entry: from here on,
 * whatever is printed by `console.*` or written to `process.stdout`, by any dependency, goes to standard error.
 */
import type { ProtocolOutput } from './output.ts';

function takeStandardOutput(): ProtocolOutput {
  const stream = process.stdout;
  const write = stream.write.bind(stream);
  // `console` and `pipe` write through these two
  stream.write = process.stderr.write.bind(process.stderr);
  stream.end = (...args: unknown[]) => {
    const [first] = args;
    if (typeof first === 'string' || first instanceof Uint8Array) process.stderr.write(first);
    return stream;
  };
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        write(text, (error) => (error ? reject(error) : resolve()));
      }),
    onError: (listener) => {
      stream.on('error', listener);
    },
  };
}

/** The real standard output, for the transport alone. */
export const protocolOutput: ProtocolOutput = takeStandardOutput();
