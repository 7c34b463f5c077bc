import type { AdmissionRequest as WireRequest } from '#api/admission/v1/admission-review.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { DryRun } from './dry-run.ts'
import { createAdmissionHandlers, webhookPaths } from './handlers.ts'

/** User whose requests count as made in v1beta1. The test converts the object itself. */
export const oldClient = 'client-of-v1beta1'

/**
 * Calls the webhooks' handlers in the process, as the API server calls the webhooks for writes of
 * HyperConverged. `dryRun`: undefined while no operator runs; then no component is asked.
 */
export function admissionPlugin(dryRun: () => DryRun | undefined): AdmissionPlugin {
  const nothing = { errors: [], warnings: [] }
  const handlers = createAdmissionHandlers({
    dryRun: {
      hyperconverged: (edited, old) => dryRun()?.hyperconverged(edited, old) ?? Promise.resolve(nothing),
      override: (edited, old) => dryRun()?.override(edited, old) ?? Promise.resolve(nothing),
    },
    client: {} as never,
    now: () => 0,
  })
  const ask = (
    path: string,
    { operation, object, old, target, context }: AdmissionRequest,
  ): ReturnType<(typeof handlers)[string]> | undefined => {
    const isOurs = target.definition.plural === 'hyperconvergeds' && target.subresource === '' && operation !== 'DELETE'
    if (!isOurs) return undefined
    const kind = { group: 'hco.kubevirt.io', version: 'v1', kind: 'HyperConverged' }
    const requestKind = { ...kind, version: context.user.username === oldClient ? 'v1beta1' : 'v1' }
    return handlers[path]?.({ uid: 'u', kind, requestKind, operation, object, oldObject: old ?? null } as unknown as WireRequest)
  }
  return {
    name: 'hyperconverged-webhooks',
    async mutate(request) {
      const answer = await ask(webhookPaths.mutate, request)
      if (answer === undefined) return undefined
      if (!answer.allowed) throw answer.error
      return answer.patch === undefined ? undefined : (applyJsonPatch(request.object, answer.patch) as KubeObject)
    },
    async validate(request) {
      const answer = await ask(webhookPaths.validate, request)
      if (answer?.allowed === false) throw answer.error
    },
  }
}
