import type { RequestContext } from '../../kernel/index.ts';
import type { Provenance } from '../model.ts';
import type { Scope } from '../runtime.ts';
import { safeText } from '../safe-text.ts';
import { toProjectPath } from './project-paths.ts';
import type { RememberRequest } from './request.ts';

/** Who says it and where: taken from the call and the work tree, never from the content. */
export function provenanceOf(
  context: RequestContext,
  request: RememberRequest,
  scope: Scope,
  at: number,
): { readonly provenance: Provenance; readonly actor: string } {
  const session = request.session ?? context.session;
  const { branch, commit } = scope.location ?? {};
  const named = request.sourcePath ?? request.files?.[0];
  const file = named === undefined ? undefined : toProjectPath(safeText(named), scope.location);
  return {
    actor: actorOf(context),
    provenance: {
      source: request.source ?? (request.door === 'hooks' ? 'hooks' : 'manual'),
      ...(context.client === undefined ? {} : { host: safeText(context.client.name) }),
      ...(session === undefined ? {} : { session: safeText(session) }),
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commit }),
      ...(file === undefined ? {} : { file }),
      at,
    },
  };
}

/** How the log names the one who acts: the surface and the client's own name. */
export function actorOf(context: RequestContext): string {
  return context.client === undefined ? context.surface : `${context.surface}:${safeText(context.client.name)}`;
}
