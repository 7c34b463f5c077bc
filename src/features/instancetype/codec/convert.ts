import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { versionTable, type VersionedObject } from './versions.ts'
import { familyOfKind } from './labels.ts'

/** Reports whether objects can be written in a version, which may differ from the stored one. */
export function isWritable({ kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: string }): boolean {
  const { group, version } = parseApiVersion(apiVersion ?? '')
  return group === 'instancetype.kubevirt.io' && familyOfKind(kind) !== undefined && versionTable.get(version)?.encode !== undefined
}

/**
 * Converts an instance type or preference to another version, without loss in either direction.
 * @throws StatusError for unknown versions
 */
export function convertVersion(object: KubeObject, apiVersion: string): KubeObject {
  const family = familyOfKind(object.kind as unknown)
  const [from, to] = [object.apiVersion ?? '', apiVersion].map((text) => versionTable.get(parseApiVersion(text).version))
  if (family === undefined || from === undefined || to?.encode === undefined) {
    throw badRequest(
      `cannot convert ${object.kind ?? ''} "${object.metadata?.name ?? ''}" from ${object.apiVersion ?? ''} to ${apiVersion}`,
    )
  }
  if (object.apiVersion === apiVersion) return object
  return { ...(to.encode(from.decode(object as VersionedObject, family), family) as KubeObject), apiVersion }
}
