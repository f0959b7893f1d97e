import { CairnError } from '../../../src/kernel/index.ts';
import type { ResourceProvider } from '../../../src/mcp/index.ts';

const ADDRESS = /^fixture:\/\/note\/(\w+)$/;

/** Two pages of notes; `broken` fails on reading. */
export const fixtureResources: ResourceProvider = {
  templates: () => [{ uriTemplate: 'fixture://note/{id}', name: 'note', title: 'A note', mimeType: 'text/plain' }],
  async list(_context, cursor) {
    return cursor === undefined
      ? { resources: [{ uri: 'fixture://note/one', name: 'one' }], nextCursor: 'two' }
      : { resources: [{ uri: `fixture://note/${cursor}`, name: cursor }] };
  },
  async read(uri) {
    const id = ADDRESS.exec(uri)?.[1];
    if (id === 'broken') throw new CairnError('store_damaged', 'The store is damaged.');
    return id === 'one' || id === 'two' ? { uri, mimeType: 'text/plain', text: `note ${id}` } : undefined;
  },
};
