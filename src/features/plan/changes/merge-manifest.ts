import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Manifest } from '../types.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Returns the result of `kubectl apply`: the fields of the manifest, without the fields that only
 * the last applied manifest had, and with the fields of other writers. Custom resources have no
 * strategic merge: lists are replaced as a whole.
 */
export function mergeManifest(live: KubeObject, manifest: Manifest): KubeObject {
  const { status: _, ...wanted } = manifest
  const removals = removalsOf(previousManifest(live), wanted)
  const merged = applyMergePatch(applyMergePatch(live, removals), wanted) as KubeObject
  const { generation = 1 } = live.metadata ?? {}
  return isSameBut(live, merged, ['metadata', 'status', 'apiVersion', 'kind'])
    ? merged
    : { ...merged, metadata: { ...merged.metadata, generation: generation + 1 } }
}

function isSameBut(a: KubeObject, b: KubeObject, ignored: readonly string[]): boolean {
  const rest = (object: KubeObject): object => Object.fromEntries(Object.entries(object).filter(([field]) => !ignored.includes(field)))
  return deepEqual(rest(a), rest(b))
}

function previousManifest(live: KubeObject): unknown {
  try {
    return JSON.parse(live.metadata?.annotations?.[lastApplied] ?? '{}')
  } catch {
    // The annotation of kubectl is malformed: as for an object that was never applied.
    return {}
  }
}

/** Returns a merge patch that removes the fields of `previous` that `wanted` lacks. */
function removalsOf(previous: unknown, wanted: unknown): Record<string, unknown> {
  if (!isJsonObject(previous) || !isJsonObject(wanted)) return {}
  const removals: Record<string, unknown> = {}
  for (const key of Object.keys(previous)) {
    if (!Object.hasOwn(wanted, key)) removals[key] = null
    else {
      const inner = removalsOf(previous[key], getOwn(wanted, key))
      if (Object.keys(inner).length > 0) removals[key] = inner
    }
  }
  return removals
}
