/** The storage worker from its TypeScript source: Node 20 ignores a loader in a worker's own arguments. */
import { register } from 'tsx/esm/api';

register();
await import('../../../src/storage/worker.ts');
