import { DaemonSet, Deployment } from '#api/apps/v1/schema.generated.ts'
import { Service } from '#api/core/v1/schema.generated.ts'
import type { CustomizeComponentsPatch } from '#api/kubevirt/v1/kubevirt.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { applyStrategicMerge } from '#apimachinery/patch/strategic-merge.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/** A patch of a component cannot be applied. The message gives the reason. */
export class PatchUnusable extends Error {
  override readonly name = 'PatchUnusable'
  /** Index of the patch in its list. */
  readonly index: number
  constructor(index: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.index = index
  }
}

const schemas: Readonly<Record<string, StructuralSchema>> = { Deployment, DaemonSet, Service }
const types = ['json', 'merge', 'strategic']

/**
 * Reports whether a patch targets the object. Kinds are named as `Deployment`, `deployment` or
 * `deployments`; `*` matches every name. Pure.
 */
export function isPatchFor({ resourceType, resourceName }: CustomizeComponentsPatch, { kind = '', metadata }: KubeObject): boolean {
  const type = resourceType.toLowerCase()
  const isKind = type === kind.toLowerCase() || type === `${kind.toLowerCase()}s`
  return isKind && (resourceName === '*' || resourceName === metadata?.name)
}

/**
 * Applies all patches for the object, in their order. One that cannot be applied is skipped and
 * reported; patches cannot change identity and ownership of an object, nor reduce it below
 * `leastReplicas`. Pure.
 */
export function patched<T extends KubeObject>(
  object: T,
  patches: readonly CustomizeComponentsPatch[],
  onUnusable: (problem: PatchUnusable) => void,
  leastReplicas = 0,
): T {
  let result = object
  for (const [index, patch] of patches.entries()) {
    try {
      if (isPatchFor(patch, object)) result = applied(result, patch, index, leastReplicas)
    } catch (error) {
      if (!(error instanceof PatchUnusable)) throw error
      onUnusable(error)
    }
  }
  return result
}

/** Parses a patch, whatever its target. Pure. @throws PatchUnusable */
export function parsePatch({ type, patch }: CustomizeComponentsPatch, index: number): unknown {
  if (!types.includes(type)) throw new PatchUnusable(index, `has type ${JSON.stringify(type)}: it must be one of ${types.join(', ')}`)
  let content: unknown
  try {
    content = JSON.parse(patch)
  } catch (cause) {
    throw new PatchUnusable(index, `is not JSON: ${(cause as Error).message}`, { cause })
  }
  const isList = Array.isArray(content)
  if (type === 'json' ? !isList : isList || typeof content !== 'object' || content === null)
    throw new PatchUnusable(index, type === 'json' ? 'must be a list of operations' : 'must be an object')
  return content
}

function applied<T extends KubeObject>(object: T, patch: CustomizeComponentsPatch, index: number, leastReplicas: number): T {
  const content = parsePatch(patch, index)
  let result: unknown
  try {
    result =
      patch.type === 'json'
        ? applyJsonPatch(object, content as readonly JsonPatchOperation[])
        : patch.type === 'merge'
          ? applyMergePatch(object, content)
          : applyStrategicMerge(object, content, schemas[object.kind ?? ''] ?? { type: 'object' })
  } catch (cause) {
    throw new PatchUnusable(index, `cannot be applied to ${object.kind} ${object.metadata?.name}: ${(cause as Error).message}`, { cause })
  }
  const changed = fixed.find(([, read]) => JSON.stringify(read(result as Patchable)) !== JSON.stringify(read(object)))
  if (changed !== undefined) throw new PatchUnusable(index, `must not change ${changed[0]} of ${object.kind} ${object.metadata?.name}`)
  const [before, replicas] = [object, result as T].map(({ spec }: Patchable) => spec?.replicas)
  if (replicas !== undefined && replicas !== before && replicas < leastReplicas)
    throw new PatchUnusable(index, `sets the replicas of ${object.kind} ${object.metadata?.name}, which ${needsReplicas(replicas)}`)
  return result as T
}

/** Reason why a component needs a minimum number of replicas. */
export function needsReplicas(replicas: number): string {
  return `must be at least 1, and is ${replicas}: without an API server nobody could change it again`
}

interface Patchable extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: unknown
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }
  }
}

/** Fields by which the operator finds its objects and their pods. */
const fixed: readonly (readonly [string, (object: Patchable) => unknown])[] = [
  ['the kind', ({ apiVersion, kind }) => [apiVersion, kind]],
  ['the name', ({ metadata }) => [metadata?.name, metadata?.namespace]],
  ['the selector', ({ spec }) => spec?.selector],
  ['the label kubevirt.io', ({ spec }) => spec?.template?.metadata?.labels?.['kubevirt.io']],
]
