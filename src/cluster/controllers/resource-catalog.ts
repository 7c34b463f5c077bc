import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/**
 * The resources that the API server serves right now: one version of each that can be listed,
 * watched and deleted.
 */
export interface ResourceCatalog {
  resources(): readonly ResourceType<KubeObject>[]
  /** The resource of a kind when its objects say how many pods they want. */
  scalable(group: string, kind: string): ScalableResource | undefined
  /** Calls back when resources have come or gone. */
  onChange(listener: () => void): Disposable
}

/** A resource with a scale. */
export interface ScalableResource {
  readonly resource: ResourceType<KubeObject>
  /** JSON path of the replica count: `.spec.replicas`. */
  readonly specReplicasPath: string
}
