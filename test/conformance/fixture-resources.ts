import type { ResourceProvider } from '../../src/mcp/index.ts';

const STATIC = 'test://static-text';
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** The suite's resources that are texts. */
export const conformanceResources: ResourceProvider = {
  templates: () => [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  list: async () => ({ resources: [{ uri: STATIC, name: 'static', description: 'A text.', mimeType: 'text/plain' }] }),
  async read(uri) {
    if (uri === STATIC)
      return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
    const id = TEMPLATE.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
  },
};
