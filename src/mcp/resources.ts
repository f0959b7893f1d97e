import type { RequestContext } from '../kernel/index.ts';

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  readonly nextCursor?: string;
}

/** Things with an address that a room offers for reading, such as `cairn://memory/{id}`. */
export interface ResourceProvider {
  /** In a fixed order; the same for every connection. */
  templates(): readonly ResourceTemplate[];
  /** A bounded page; a room with very many things may list none and say so in its template. */
  list(context: RequestContext, cursor?: string): Promise<ResourcePage>;
  /** `undefined` when nothing has this address. */
  read(uri: string, context: RequestContext): Promise<ResourceText | undefined>;
}
