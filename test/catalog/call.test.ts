import { describe, expect, it } from 'vitest';
import { type CallSetting, callOperation, createCallGate, findReplacement } from '../../src/catalog/index.ts';
import type { RequestContext } from '../../src/kernel/index.ts';
import { createFixtureDeps, fixtureCatalog } from '../mcp/support/fixture-operations.ts';

const CONTEXT: RequestContext = {
  signal: new AbortController().signal,
  surface: 'mcp',
  workingDirectory: '/work',
  roots: [],
};

function setting(change: Partial<CallSetting> = {}): CallSetting {
  return {
    deps: createFixtureDeps('/nowhere'),
    context: CONTEXT,
    gate: createCallGate(),
    readOnly: false,
    onFault: (fault) => {
      throw fault;
    },
    ...change,
  };
}

function call(name: string, given: unknown, change: Partial<CallSetting> = {}) {
  return callOperation(fixtureCatalog, name, given, setting(change));
}

async function errorOf(name: string, given: unknown, change: Partial<CallSetting> = {}) {
  const result = await call(name, given, change);
  expect(result.isError).toBe(true);
  expect(JSON.parse(result.text)).toEqual(result.structured);
  return result.structured['error'] as Record<string, unknown>;
}

describe('a call', () => {
  it('by the listed and by the dotted name is the same call', async () => {
    const listed = await call('fixture_echo', { text: 'a' });
    expect(listed).toEqual({
      structured: { success: true, text: 'a' },
      text: '{"success":true,"text":"a"}',
      isError: false,
    });
    expect(await call('fixture.echo', { text: 'a' })).toEqual(listed);
  });

  it('fills in defaults and coerces only where the schema says so', async () => {
    expect((await call('fixture_echo', { text: 'a', times: '3' })).structured).toMatchObject({ text: 'a a a' });
    expect(await errorOf('fixture_slow', { ms: '3' })).toMatchObject({ code: 'invalid_input', field: 'ms' });
  });

  it('without arguments is one with none', async () => {
    expect((await call('fixture_context', undefined)).isError).toBe(false);
    expect(await errorOf('fixture_echo', undefined)).toMatchObject({ code: 'invalid_input', field: 'text' });
  });

  it('M119 refuses unknown arguments and lists the known ones', async () => {
    const error = await errorOf('fixture_echo', { text: 'a', tmes: 3, x: 1 });
    expect(error).toEqual({
      code: 'invalid_input',
      field: 'tmes',
      message: 'fixture_echo has no argument "tmes", "x". Known: text, times, style.',
      retryable: false,
    });
    expect((await errorOf('fixture_context', { a: 1 }))['message']).toContain('It takes no arguments.');
  });

  it('takes no prototype for an argument', async () => {
    expect(await errorOf('fixture_echo', JSON.parse('{"text":"a","__proto__":{"times":2}}'))).toMatchObject({
      field: '__proto__',
    });
  });

  it.each([[[]], ['text'], [3]])('refuses arguments that are no object: %j', async (given) => {
    expect(await errorOf('fixture_echo', given)).toMatchObject({ code: 'invalid_input' });
  });

  it('refuses arguments over the bytes of the operation', async () => {
    expect(await errorOf('fixture_echo', { text: 'ü'.repeat(2_100) })).toMatchObject({ code: 'too_large' });
  });

  it('gives a thrown coded error with its field and repair', async () => {
    expect(await errorOf('fixture_fail', { how: 'coded' })).toEqual({
      code: 'not_found',
      message: 'Nothing has the id "x".',
      field: 'id',
      retryable: false,
      repair: { operation: 'fixture_echo', arguments: { text: 'x' }, requests: 0 },
    });
  });

  it('says success false on failure where the operation has that field, and only there', async () => {
    expect((await call('fixture_fail', { how: 'coded' })).structured['success']).toBe(false);
    expect('success' in (await call('fixture_slow', { ms: -1 })).structured).toBe(false);
  });

  it('keeps the text of an unexpected fault from the caller and gives it to the log', async () => {
    const faults: unknown[] = [];
    const onFault = (fault: unknown) => faults.push(fault);
    const error = await errorOf('fixture_fail', { how: 'thrown' }, { onFault });
    expect(error).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(faults).toEqual([new Error('the secret inside')]);
  });

  it('that the operation itself calls failed keeps its structure', async () => {
    const result = await call('fixture_fail', { how: 'told' });
    expect(result).toEqual({
      structured: { success: false, reason: 'told' },
      text: '{"success":false,"reason":"told"}',
      isError: true,
    });
  });

  it('H8 of each operation gives structure that validates', async () => {
    const inputs: Record<string, object> = {
      fixture_echo: { text: 'a' },
      fixture_slow: { ms: 0 },
      fixture_fail: { how: 'told' },
    };
    for (const operation of fixtureCatalog.operations.filter(
      ({ effects, name }) => !effects.localWrite && name !== 'fixture_noisy',
    )) {
      const result = await call(operation.name, inputs[operation.name] ?? {});
      expect(() => operation.output.parse(result.structured)).not.toThrow();
    }
  });

  it('that writes is refused in read-only mode, before its arguments are looked at', async () => {
    expect(await errorOf('fixture_write', { rows: 'many' }, { readOnly: true })).toMatchObject({ code: 'read_only' });
    expect((await call('fixture_echo', { text: 'a' }, { readOnly: true })).isError).toBe(false);
  });

  it('over the limit in flight is refused as retryable, and the next one after an end is taken', async () => {
    const gate = createCallGate(2);
    const first = call('fixture_slow', { ms: 50 }, { gate });
    const second = call('fixture_slow', { ms: 50 }, { gate });
    expect(await errorOf('fixture_echo', { text: 'a' }, { gate })).toMatchObject({ code: 'busy', retryable: true });
    expect(gate.running).toBe(2);
    await Promise.all([first, second]);
    await gate.idle();
    expect((await call('fixture_echo', { text: 'a' }, { gate })).isError).toBe(false);
  });
});

describe('an unknown name', () => {
  it('throws what replaces it, by exact name and by beginning', async () => {
    await expect(call('fixture_old', {})).rejects.toMatchObject({
      code: 'unknown_operation',
      message: expect.stringContaining('Use fixture_echo'),
    });
    await expect(call('fixture_error_record', {})).rejects.toMatchObject({
      message: expect.stringContaining('Use fixture_fail'),
    });
    await expect(call('constructor', {})).rejects.toMatchObject({ message: expect.stringContaining('List the tools') });
    expect(findReplacement(fixtureCatalog, 'fixture_olds')).toBeUndefined();
  });
});
