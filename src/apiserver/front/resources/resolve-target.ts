import { methodNotAllowed, pathNotFound } from '#apimachinery/errors.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import type { ResourceRequest } from '#apiserver/request/request-info.ts'

function isKnownSubresource(definition: ResourceDefinition, subresource: string): boolean {
  if (subresource === '') return true
  if (subresource === 'status') return definition.hasStatus
  if (subresource === 'scale') return definition.scale !== undefined
  return definition.extraSubresources?.some((extra) => extra.name === subresource) ?? false
}

function allowsVerb(definition: ResourceDefinition, info: ResourceRequest): boolean {
  if (info.subresource === '') return (definition.verbs as readonly string[]).includes(info.verb)
  const extra = definition.extraSubresources?.find((subresource) => subresource.name === info.subresource)
  return (extra?.verbs ?? ['get', 'patch', 'update']).includes(info.verb)
}

/** Returns the object or collection that the path addresses. @throws StatusError 404, 405 */
export function resolveTarget(registry: ResourceRegistry, info: ResourceRequest): Target {
  const definition = registry.find(info.group, info.version, info.resource)
  if (definition === undefined || info.rest.length > 0 || !isKnownSubresource(definition, info.subresource)) throw pathNotFound()
  if (!definition.namespaced && info.namespace !== undefined) throw pathNotFound()
  if (!allowsVerb(definition, info)) throw methodNotAllowed(definition, info.verb)
  const acrossNamespaces = definition.namespaced && info.namespace === undefined
  if (acrossNamespaces && info.name !== '' && info.verb !== 'watch') throw pathNotFound()
  if (acrossNamespaces && info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed(definition, info.verb)
  if (info.name !== '' && info.verb === 'create' && info.subresource === '') throw methodNotAllowed(definition, 'create')
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed(definition, info.verb)
  return { definition, namespace: definition.namespaced ? info.namespace : '', name: info.name, subresource: info.subresource }
}
