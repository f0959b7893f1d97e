import { CairnError, type RequestContext } from '../../kernel/index.ts';
import { CONFIRM_QUESTION, NEAR_DUPLICATE_REASON } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { type Draft, displayText } from '../draft.ts';
import type { EntryType, Provenance } from '../model.ts';
import type { MemoryRuntime, OpenMemory, Scope } from '../runtime.ts';
import { idOf, keyOf, stateOf } from '../store/entries.ts';
import { countActive } from '../store/tally.ts';
import { activeSpace, ensureSpace } from '../store/vectors.ts';
import type { Classified } from './classify.ts';
import { compareNear, findIdentity, type Identity, type NearReport } from './decide.ts';
import { type DraftVectors, storeVectors } from './draft-vectors.ts';
import type { Intake } from './intake.ts';
import { fileForNearCheck } from './late-near-check.ts';
import { changedSince, findReadableNeighbours, logMark } from './neighbours.ts';
import { filePending, type PendingPayload } from './pending.ts';
import { provenanceOf } from './provenance.ts';
import { readReplay, writeReplay } from './replay.ts';
import type { RememberRequest, RememberResult } from './request.ts';
import { createEntry, mergeInto, reviseEntry, supersedeEntry, type WriteContext } from './write-entry.ts';

/** What one request has become by the time it meets the store. */
export interface Proposal {
  readonly request: RememberRequest;
  readonly intake: Intake;
  readonly classified: Classified;
  readonly vectors: DraftVectors | undefined;
}

/** Identity, near check and write for one request. */
export class Decider {
  readonly #runtime: MemoryRuntime;
  readonly #request: RememberRequest;
  readonly #memory: OpenMemory;
  readonly #intake: Intake;
  readonly #classified: Classified;
  readonly #vectors: DraftVectors | undefined;
  readonly #provenance: Provenance;
  readonly #actor: string;
  readonly #isPerson: boolean;
  /** Drafts of which no index could be read: they are stored after the identity check alone. */
  readonly #exactOnly = new Set<number>();

  constructor(
    runtime: MemoryRuntime,
    context: RequestContext,
    scope: Scope & { readonly memory: OpenMemory },
    proposal: Proposal,
  ) {
    this.#runtime = runtime;
    this.#request = proposal.request;
    this.#memory = scope.memory;
    this.#intake = proposal.intake;
    this.#classified = proposal.classified;
    this.#vectors = proposal.vectors;
    this.#isPerson = proposal.request.source === 'manual' && context.surface !== 'mcp';
    const { provenance, actor } = provenanceOf(context, proposal.request, scope, runtime.deps.clock.now());
    this.#provenance = provenance;
    this.#actor = actor;
  }

  async decide(judged: RememberResult): Promise<RememberResult> {
    const { store } = this.#memory;
    const replay = this.#request.eventId === undefined ? undefined : readReplay(store.db, this.#request.eventId);
    if (replay !== undefined) return { ...replay, replayed: true };
    if (this.#request.dryRun === true) return this.#plan(judged);
    const mark = logMark(store.db);
    // The expensive look at the whole store happens outside the transaction; inside, only what is new since.
    const neighbours = await Promise.all(this.#intake.drafts.map((draft, n) => this.#neighboursOf(store.db, draft, n)));
    return store.write((db) => {
      // Another process may have answered the same event since.
      const answered = this.#request.eventId === undefined ? undefined : readReplay(db, this.#request.eventId);
      if (answered !== undefined) return { ...answered, replayed: true };
      const results = this.#intake.drafts.map((draft, n) =>
        this.#settle(db, draft, n, [...(neighbours[n] ?? []), ...changedSince(db, mark)], judged),
      );
      const result = combine(results);
      if (this.#request.eventId !== undefined && result.status !== 'rejected')
        writeReplay(db, this.#request.eventId, result, this.#provenance.at);
      return { ...result, total: countActive(db) };
    });
  }

  /** The same decision in a transaction that is never committed; on a read-only store from its present state. */
  async #plan(judged: RememberResult): Promise<RememberResult> {
    const { store } = this.#memory;
    const neighbours = await Promise.all(this.#intake.drafts.map((draft, n) => this.#neighboursOf(store.db, draft, n)));
    const results = this.#intake.drafts.map((draft, n) =>
      this.#foresee(store.db, draft, n, neighbours[n] ?? [], judged),
    );
    return { ...combine(results), total: countActive(store.db) };
  }

  async #neighboursOf(db: Database, draft: Draft, n: number): Promise<number[]> {
    const keys = await findReadableNeighbours(
      db,
      draft,
      this.#memory.vectors,
      this.#vectors?.drafts[n]?.map(({ vector }) => vector),
    );
    if (keys === undefined) {
      this.#exactOnly.add(n);
      return [];
    }
    // Compared here already: what is left for the transaction are the few that matter.
    return [...this.#near(db, draft, n, keys).keys];
  }

  #near(db: Database, draft: Draft, n: number, keys: readonly number[]): NearReport {
    const space = this.#vectors === undefined ? undefined : activeSpace(db);
    const own = this.#vectors?.drafts[n]?.map(({ vector }) => vector);
    const usable = space !== undefined && own !== undefined && space.fingerprint === this.#vectors?.space.fingerprint;
    // A correction is like what it replaces; that is no reason to refuse it.
    const replaced = new Set((this.#request.supersedes ?? []).map((id) => keyOf(db, id)));
    const others = [...new Set(keys)].filter((key) => !replaced.has(key));
    return compareNear(db, draft, others, usable ? { spaceKey: space.key, own } : undefined);
  }

  /** What would happen, as a result without its writes. */
  #foresee(db: Database, draft: Draft, n: number, keys: readonly number[], judged: RememberResult): RememberResult {
    const identity = findIdentity(db, draft);
    const refusal = this.#refusal(db, identity);
    const base: RememberResult = { ...judged, type: this.#typeOf(draft) };
    if (refusal !== undefined) return { ...base, ...refusal };
    if (identity.decision === 'merge' || identity.decision === 'update') {
      const id = idOf(db, identity.key);
      const status = identity.decision === 'merge' ? 'merged' : 'updated';
      return { ...base, status, id, dedup: { decision: status, similar: [] } };
    }
    const near = this.#near(db, draft, n, keys);
    const report = reportOf(near);
    if (near.duplicate !== undefined && this.#request.force !== true) {
      return {
        ...base,
        ...report,
        status: 'near_duplicate',
        duplicateOf: near.duplicate.id,
        message: NEAR_DUPLICATE_REASON,
        dedup: { decision: 'near_duplicate', score: near.duplicate.score, similar: similarOf(near) },
      };
    }
    const dedup = {
      decision: near.duplicate !== undefined ? 'forced' : this.#exactOnly.has(n) ? 'exact_only' : 'unique',
      ...(near.duplicate === undefined ? {} : { score: near.duplicate.score }),
      similar: similarOf(near),
    };
    if (this.#classified.tier.tier === 'prompted') {
      return {
        ...base,
        ...report,
        status: 'needs_confirmation',
        preview: displayText(draft.kind, draft.text, draft.fields),
        ...(this.#request.interactive === true ? { question: CONFIRM_QUESTION } : {}),
        dedup,
      };
    }
    return { ...base, ...report, status: 'stored', dedup };
  }

  /** Foresees, then writes what was foreseen. */
  #settle(db: Database, draft: Draft, n: number, keys: readonly number[], judged: RememberResult): RememberResult {
    const result = this.#foresee(db, draft, n, keys, judged);
    const write = this.#writeContext(db);
    const identity = findIdentity(db, draft);
    switch (result.status) {
      case 'merged':
        if (identity.decision === 'merge') {
          mergeInto(write, identity.key, this.#provenance, { reopen: identity.reopen });
          this.#supersede(write, identity.key);
        }
        return result;
      case 'updated':
        if (identity.decision === 'update') {
          reviseEntry(write, identity.key, draft, this.#provenance);
          this.#keepVectors(db, identity.key, n);
          this.#supersede(write, identity.key);
        }
        return result;
      case 'near_duplicate':
      case 'needs_confirmation': {
        const { token, expiresAt, displaced } = filePending(db, this.#runtime.deps.ids, this.#provenance.at, {
          payload: this.#pendingPayload(draft, result),
          contentHash: draft.contentHash,
          reason: result.status === 'near_duplicate' ? 'near_duplicate' : 'prompted',
        });
        const warnings =
          displaced === 0
            ? result.warnings
            : [...result.warnings, `${displaced} older pending items expired to make room`];
        return { ...result, token, expiresAt, warnings };
      }
      case 'stored': {
        const entry = createEntry(write, draft, {
          type: this.#typeOf(draft),
          trust: this.#isPerson ? 'person' : 'agent',
          quality: this.#intake.gates.passed,
          ...(this.#request.source === undefined ? {} : { workflow: this.#request.source }),
          provenance: this.#provenance,
        });
        this.#keepVectors(db, entry.key, n);
        this.#supersede(write, entry.key);
        this.#queueConflicts(db, entry.key, result);
        if (this.#exactOnly.has(n)) fileForNearCheck(db, entry.key, this.#provenance.at);
        return { ...result, id: entry.id };
      }
      default:
        return result;
    }
  }

  #writeContext(db: Database): WriteContext {
    const { ids, embedder } = this.#runtime.deps;
    return { db, ids, at: this.#provenance.at, actor: this.#actor, countTokens: (text) => embedder.countTokens(text) };
  }

  /** An error-fix entry is always of type context. */
  #typeOf(draft: Draft): EntryType {
    return draft.kind === 'error_fix' ? 'context' : this.#classified.type;
  }

  #refusal(db: Database, identity: Identity): Partial<RememberResult> | undefined {
    if (identity.decision === 'forgotten') {
      return {
        status: 'rejected',
        code: 'forgotten',
        field: 'content',
        message: 'This text was forgotten on purpose. A person can bring it back with `cairn memory forget --restore`.',
        repair: { command: 'cairn memory forget --restore <id>' },
      };
    }
    if (identity.decision === 'superseded') {
      const newer = identity.newerKey === undefined ? undefined : idOf(db, identity.newerKey);
      return {
        status: 'rejected',
        code: 'superseded',
        field: 'content',
        message: `This text was superseded${newer === undefined ? '' : ` by ${newer}`}.`,
        ...(newer === undefined
          ? {}
          : { repair: { operation: 'memory_get', arguments: { ids: [newer] }, requests: 0 } }),
      };
    }
    return undefined;
  }

  #pendingPayload(draft: Draft, result: RememberResult): PendingPayload {
    const { at: _, ...provenance } = this.#provenance;
    return {
      kind: draft.kind,
      text: draft.text,
      fields: draft.fields,
      type: this.#typeOf(draft),
      quality: this.#intake.gates.passed,
      ...(this.#request.source === undefined ? {} : { workflow: this.#request.source }),
      provenance,
      ...(result.duplicateOf === undefined ? {} : { duplicateOf: result.duplicateOf }),
      ...(this.#request.supersedes === undefined ? {} : { supersedes: this.#request.supersedes }),
    };
  }

  #keepVectors(db: Database, entryKey: number, n: number): void {
    const own = this.#vectors?.drafts[n];
    if (this.#vectors === undefined || own === undefined) return;
    storeVectors(db, entryKey, ensureSpace(db, this.#vectors.space, this.#provenance.at), own);
  }

  #supersede(write: WriteContext, newKey: number): void {
    for (const id of this.#request.supersedes ?? []) {
      const oldKey = keyOf(write.db, id);
      const state = oldKey === undefined ? undefined : stateOf(write.db, oldKey);
      // What was forgotten or is in quarantine comes back by a person alone, and replacing it would make it reopenable.
      if (oldKey === undefined || (state !== 'active' && state !== 'closed'))
        throw new CairnError('not_found', `supersedes names ${id}, which is no entry that can be replaced.`, {
          field: 'supersedes',
        });
      if (oldKey !== newKey) supersedeEntry(write, oldKey, newKey);
    }
  }

  #queueConflicts(db: Database, entryKey: number, result: RememberResult): void {
    for (const id of result.conflictsWith ?? []) {
      db.run("INSERT OR IGNORE INTO conflict (entry_key, other_key, relation, at) VALUES (?, ?, 'conflict', ?)", [
        entryKey,
        keyOf(db, id) ?? 0,
        this.#provenance.at,
      ]);
    }
  }
}

function similarOf(near: NearReport): { id: string; score: number }[] {
  return near.similar.map(({ id, score }) => ({ id, score }));
}

function reportOf(near: NearReport): Pick<RememberResult, 'conflictsWith' | 'alternatives'> {
  return {
    ...(near.conflicts.length === 0 ? {} : { conflictsWith: near.conflicts.map(({ id }) => id) }),
    ...(near.alternatives.length === 0 ? {} : { alternatives: near.alternatives.map(({ id }) => id) }),
  };
}

/** One answer for a text that held several error-fix lines: the first one's, with the others beside it. */
function combine(results: readonly RememberResult[]): RememberResult {
  const [first, ...others] = results;
  if (first === undefined) throw new Error('an intake has at least one draft');
  if (others.length === 0) return first;
  return { ...first, more: others.map(({ status, id }) => ({ status, ...(id === undefined ? {} : { id }) })) };
}
