import { badRequest, methodNotAllowed } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { isApproval } from '../write/approval.ts'
import { decode } from '#apiserver/codec/decode.ts'
import type { Environment } from '../environment.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { isResize } from '../subresources/pod-resize.ts'
import { updateScale } from '../subresources/scale.ts'

/** Replaces an object, or the part that a subresource covers. */
export function update(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  if (target.subresource === 'scale') return updateScale(environment, target, body.object, options, context)
  assertUpdatable(target, 'update')
  const sent = decode(target.definition, body, options, context)
  const { name, namespace } = sent.metadata ?? {}
  if (name !== target.name) throw badRequest(`the name of the object (${name ?? ''}) does not match the name on the URL (${target.name})`)
  if (target.definition.namespaced && namespace !== undefined && namespace !== target.namespace) {
    throw badRequest(`the namespace of the object (${namespace}) does not match the namespace on the URL (${target.namespace ?? ''})`)
  }
  return guaranteedUpdate(
    environment,
    target,
    { next: () => sent, versionRequired: !target.definition.unconditionalUpdate },
    options,
    context,
  )
}

/** @throws StatusError 405 when the kind has no such subresource to write */
export function assertUpdatable({ definition, subresource }: Target, verb: 'update' | 'patch'): void {
  if (subresource === '' || (subresource === 'status' && definition.hasStatus)) return
  if (subresource === 'finalize' && definition.storageKey === '/namespaces') return
  if (isApproval({ definition, subresource }) || isResize({ definition, subresource })) return
  throw methodNotAllowed(definition, verb)
}
