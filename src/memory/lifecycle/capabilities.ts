import type { EmbedderState } from '../../embedding/index.ts';
import { isCairnError, type RequestContext } from '../../kernel/index.ts';
import type { MemoryRuntime, Scope } from '../runtime.ts';
import { countActive } from '../store/tally.ts';

export interface CapabilitiesAnswer {
  readonly version: string;
  /** What the next recall can use. */
  readonly mode: 'hybrid' | 'lexical';
  readonly embedder: { readonly state: EmbedderState; readonly model?: string; readonly fingerprint?: string };
  /** 0 in lexical mode. */
  readonly embeddingDim: number;
  /** Entries that recall can find here; 0 where there is no store. */
  readonly total: number;
  /** Why `total` is not known, where it is not. */
  readonly warnings: readonly string[];
}

/** States in which a vector can be expected. */
const USABLE: readonly EmbedderState[] = ['cold', 'warming', 'ready'];

/**
 * What this server can do, at once and without side effects on any file. Starts loading the embedder in the background, so
 * that the first recall finds it ready. Never fails for the state of the project: what is not known is said in `warnings`.
 */
export async function readCapabilities(runtime: MemoryRuntime, context: RequestContext): Promise<CapabilitiesAnswer> {
  const { scope, total, warnings } = await countHere(runtime, context);
  // Without a project there is no choice of one to respect.
  const embedder = scope === undefined ? runtime.deps.embedder : scope.embedder;
  embedder?.warm();
  const space = embedder?.space();
  const state = embedder?.state() ?? 'none';
  const hybrid = space !== undefined && USABLE.includes(state);
  return {
    version: runtime.deps.version,
    mode: hybrid ? 'hybrid' : 'lexical',
    embedder: { state, ...(space === undefined ? {} : { model: space.parts.model, fingerprint: space.fingerprint }) },
    embeddingDim: hybrid ? space.parts.dimension : 0,
    total,
    warnings,
  };
}

interface Counted {
  readonly scope: Scope | undefined;
  readonly total: number;
  readonly warnings: readonly string[];
}

async function countHere(runtime: MemoryRuntime, context: RequestContext): Promise<Counted> {
  try {
    const scope = await runtime.forRead(context, {});
    return {
      scope,
      total: scope.memory === undefined ? 0 : countActive(scope.memory.store.db),
      warnings: scope.warnings,
    };
  } catch (error) {
    if (!isCairnError(error)) throw error;
    return {
      scope: undefined,
      total: 0,
      warnings: [`The entries could not be counted (${error.code}): ${error.message}`],
    };
  }
}
