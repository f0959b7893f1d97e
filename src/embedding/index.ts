export type { EmbeddedText, Embedder, EmbedderState, Space, SpaceParts } from './embedder.ts';
export { createFakeEmbedder, type FakeBehaviour, type FakeEmbedder, type FakeOptions } from './fake-embedder.ts';
export { createMiniLmEmbedder, type MiniLmOptions } from './minilm-embedder.ts';
export { fingerprintOf } from './space.ts';
export {
  createVectorIndex,
  type Neighbour,
  type SearchOptions,
  type VectorIndex,
  type VectorIndexOptions,
} from './vectors/vector-index.ts';
export type { WeightsLocation } from './weights/location.ts';
