import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface ToolAnswer {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface McpProcessOptions {
  /** Arguments of Node.js: the program and its own arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

const CALL_LIMIT_MS = 300_000;

/**
 * An MCP server on its standard streams, spoken to line by line. It bears what a strict client would not: lines on
 * standard output that are no JSON-RPC are counted and passed over.
 */
export class McpProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  readonly #ended: Promise<number | null>;
  #nextId = 1;
  #strayLines = 0;
  #diagnostics = '';

  constructor({ argv, cwd, environment }: McpProcessOptions) {
    this.#child = spawn(process.execPath, argv, { cwd, env: { ...environment } });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#diagnostics = (this.#diagnostics + chunk.toString('utf8')).slice(-4_000);
    });
    // A server that was killed cannot be written to; the call that waits for it is told by 'close'.
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`server ended: ${this.#diagnostics}`));
        this.#waiting.clear();
        resolve(code);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Lines on standard output that were not JSON-RPC. */
  get strayLines(): number {
    return this.#strayLines;
  }

  #receive(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      this.#strayLines++;
      return;
    }
    if (answer.id === undefined) return;
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async request(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      timer = setTimeout(() => reject(new Error(`${method}: no answer in ${CALL_LIMIT_MS} ms`)), CALL_LIMIT_MS);
      this.#send({ id, method, params });
    }).finally(() => clearTimeout(timer));
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  /** The handshake, up to the listed tools; gives their number. */
  async open(): Promise<number> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'cairn-bench', version: '1.0.0' },
    });
    this.#send({ method: 'notifications/initialized' });
    const { tools } = (await this.request('tools/list', {})) as { tools: unknown[] };
    return tools.length;
  }

  /** Calls a tool whose answer is one JSON object, structured or as text. Throws where the tool reports an error. */
  async call<T>(name: string, input: object): Promise<T> {
    const answer = (await this.request('tools/call', { name, arguments: input })) as ToolAnswer;
    const text = answer.content?.find(({ type }) => type === 'text')?.text ?? '';
    if (answer.isError) throw new Error(`${name}: ${text}`);
    return (answer.structuredContent ?? JSON.parse(text)) as T;
  }

  /** Ends the input and waits; a server that is still there after five seconds is killed. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Kills at once (SIGKILL) and waits until the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
