import { describe, expect, it } from 'vitest';
import { visibleBytes } from '../../../src/catalog/index.ts';
import { toolList } from '../../../src/catalog/tool-list.ts';
import { memoryOperations } from '../../../src/memory/operations.ts';

const TOOLS = toolList(memoryOperations);

describe('memory tools in the list', () => {
  it('M119: are the eleven of this room, each within 2,048 bytes, together within 14,000, the old five within 3,000', () => {
    expect(TOOLS.map(({ name }) => name).sort()).toEqual([
      'hooks_capabilities',
      'hooks_recall',
      'hooks_reembed',
      'hooks_remember',
      'hooks_stats',
      'memory_confirm',
      'memory_forget',
      'memory_get',
      'memory_outcome',
      'memory_recall',
      'memory_remember',
    ]);
    const sizes = new Map(TOOLS.map((tool) => [tool.name, visibleBytes(tool)]));
    for (const [name, bytes] of sizes) expect(bytes, name).toBeLessThanOrEqual(2_048);
    const sum = (prefix: string): number =>
      [...sizes].reduce((total, [name, bytes]) => total + (name.startsWith(prefix) ? bytes : 0), 0);
    expect(sum('')).toBeLessThanOrEqual(14_000);
    expect(sum('hooks_')).toBeLessThanOrEqual(3_000);
  });

  it('M119: have flat input schemas that name every argument in words', () => {
    for (const { name, inputSchema } of TOOLS) {
      expect(JSON.stringify(inputSchema), name).not.toMatch(/anyOf|oneOf|allOf|\$ref/);
      expect(inputSchema['additionalProperties'], name).toBe(false);
    }
  });

  it('M119: say truly what they do to the world', () => {
    const hints = Object.fromEntries(TOOLS.map(({ name, annotations }) => [name, annotations]));
    const reads = ['hooks_capabilities', 'hooks_stats', 'hooks_recall', 'memory_recall', 'memory_get'];
    for (const name of reads)
      expect(hints[name], name).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    for (const name of ['hooks_remember', 'memory_remember', 'memory_outcome']) {
      expect(hints[name], name).toEqual({
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      });
    }
    for (const name of ['hooks_reembed', 'memory_confirm']) {
      expect(hints[name], name).toEqual({
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    }
    expect(hints['memory_forget']).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  it('leave scope, repair, degraded, stats and protocol unlisted in output schemas', () => {
    for (const { name, outputSchema } of TOOLS) {
      const properties = outputSchema['properties'] as Record<string, Record<string, unknown>>;
      for (const member of ['scope', 'repair', 'degraded', 'stats', 'protocol']) {
        if (properties[member] === undefined) continue;
        expect(properties[member], `${name}.${member}`).toEqual({ type: 'object' });
      }
    }
  });
});
