import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'

/** Path of a collection; without a namespace, of all namespaces. */
export function collectionPath(resource: ResourceType<unknown>, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = resource.namespaced && namespace !== undefined && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}${scope}/${resource.plural}`
}

/**
 * Path of one object, or of one of its subresources. @throws TypeError when the name, or a needed
 * namespace, is missing.
 */
export function objectPath(resource: ResourceType<unknown>, key: ObjectKey, subresource?: string): string {
  if (key.name === '') throw new TypeError(`Cannot address a ${resource.kind} without a name`)
  const suffix = subresource === undefined || subresource === '' ? '' : `/${subresource}`
  return `${creationPath(resource, key.namespace)}/${encodeURIComponent(key.name)}${suffix}`
}

/** Path to which new objects are posted. @throws TypeError when a needed namespace is missing. */
export function creationPath(resource: ResourceType<unknown>, namespace: string | undefined): string {
  if (resource.namespaced && (namespace === undefined || namespace === '')) {
    throw new TypeError(`Cannot address a ${resource.kind} without a namespace`)
  }
  return collectionPath(resource, namespace)
}

/** `?a=b&c=d` of the parameters that are set, or the empty string. */
export function queryString(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
