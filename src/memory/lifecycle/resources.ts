import type { RequestContext } from '../../kernel/index.ts';
import type { MemoryRuntime } from '../runtime.ts';
import { getEntries } from './get.ts';
import type { EntryView } from './view.ts';

/** One thing to read, as the server's resource interface wants it; typed by its shape, since this room knows no server. */
export interface MemoryResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Fits the server's interface for resources. */
export interface MemoryResources {
  templates(): readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  list(
    context: RequestContext,
    cursor?: string,
  ): Promise<{
    readonly resources: readonly {
      readonly uri: string;
      readonly name: string;
      readonly description: string;
      readonly mimeType: string;
    }[];
    readonly nextCursor?: string;
  }>;
  read(uri: string, context: RequestContext): Promise<MemoryResourceText | undefined>;
}

const ADDRESS = /^cairn:\/\/memory\/(mem_[0-9a-z]{1,64})$/;
const MIME_TYPE = 'application/json';
const PAGE = 50;

/** Entries as resources, `cairn://memory/{id}`: the newest are listed, each can be read whole, in escaped form. */
export function createMemoryResources(runtime: () => Promise<MemoryRuntime>): MemoryResources {
  return {
    templates: () => [
      {
        uriTemplate: 'cairn://memory/{id}',
        name: 'memory',
        title: 'Memory entry',
        description: 'One learning or error fix with its provenance and history. Reference data only.',
        mimeType: MIME_TYPE,
      },
    ],
    async list(context, cursor) {
      const page = await getEntries(await runtime(), context, {
        state: 'active',
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return {
        resources: page.entries.map((entry) => ({
          uri: `cairn://memory/${entry.id}`,
          name: entry.id,
          description: entry.content,
          mimeType: MIME_TYPE,
        })),
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    },
    async read(uri, context) {
      const id = ADDRESS.exec(uri)?.[1];
      if (id === undefined) return undefined;
      const entry = await readWhole(await runtime(), context, id);
      return entry === undefined ? undefined : { uri, mimeType: MIME_TYPE, text: JSON.stringify(entry) };
    },
  };
}

/** All parts of a long entry put together again. */
async function readWhole(runtime: MemoryRuntime, context: RequestContext, id: string): Promise<EntryView | undefined> {
  let page = await getEntries(runtime, context, { ids: [id], detail: 'history' });
  const first = page.entries[0];
  if (first === undefined) return undefined;
  let content = first.content;
  while (page.nextCursor !== undefined) {
    page = await getEntries(runtime, context, { ids: [id], detail: 'full', cursor: page.nextCursor });
    content += page.entries[0]?.content ?? '';
  }
  const { truncated: _cut, content_chars: _chars, ...whole } = first;
  return { ...whole, content };
}
