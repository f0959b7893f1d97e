import { CairnError, isCairnError, type Operation, type RequestContext, toErrorShape } from '../kernel/index.ts';
import { readArguments } from './arguments.ts';
import type { CallGate } from './call-gate.ts';
import { findOperation, findReplacement } from './names.ts';
import type { CallResult, FailedStructure, OperationCatalog } from './types.ts';

/** Everything around the call that is not the caller's. */
export interface CallSetting {
  /** What the rooms' operations are handed; has to satisfy each of them. */
  readonly deps: unknown;
  readonly context: RequestContext;
  readonly gate: CallGate;
  /** Refuses every operation that writes. */
  readonly readOnly: boolean;
  /** Told of faults that the caller does not get to see. */
  readonly onFault: (fault: unknown) => void;
}

/** The name is of no operation; `message` names what replaces it. Surfaces map it to their own kind of refusal. */
export function unknownOperation(catalog: OperationCatalog, name: string): CairnError {
  const replacement = findReplacement(catalog, name);
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const hint = replacement === undefined ? 'List the tools to see what there is.' : `Use ${replacement} instead.`;
  return new CairnError('unknown_operation', `There is no tool "${shown}". ${hint}`);
}

function failed(operation: Operation, fault: unknown): CallResult {
  const structured: FailedStructure = {
    ...('success' in operation.output.shape ? { success: false } : {}),
    error: toErrorShape(fault),
  };
  return { structured: { ...structured }, text: JSON.stringify(structured), isError: true };
}

async function run(operation: Operation, given: unknown, setting: CallSetting): Promise<CallResult> {
  if (setting.readOnly && operation.effects.localWrite) {
    throw new CairnError(
      'read_only',
      `${operation.name} writes, and this server was started with --read-only. Start it without that flag to allow writes.`,
    );
  }
  const input = await readArguments(operation, given);
  // Each room types its own deps; the composition has been checked against all of them
  const answer = await operation.run({ deps: setting.deps as never, context: setting.context, input });
  const structured = answer.structured;
  return { structured, text: answer.text ?? JSON.stringify(structured), isError: answer.isError ?? false };
}

/**
 * Runs one operation by its listed or its dotted name. Throws `unknown_operation` alone; every other failure is a
 * result with `isError` and the one error shape.
 */
export async function callOperation(
  catalog: OperationCatalog,
  name: string,
  given: unknown,
  setting: CallSetting,
): Promise<CallResult> {
  const operation = findOperation(catalog.operations, name);
  if (operation === undefined) throw unknownOperation(catalog, name);
  try {
    return await setting.gate.enter(() => run(operation, given, setting));
  } catch (fault) {
    if (!isCairnError(fault)) setting.onFault(fault);
    return failed(operation, fault);
  }
}
