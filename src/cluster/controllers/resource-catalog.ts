import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** The resources that the API server serves right now: one version of each that can be listed, watched and deleted. */
export interface ResourceCatalog {
  resources(): readonly ResourceType<KubeObject>[]
  /** Calls back when resources have come or gone. */
  onChange(listener: () => void): Disposable
}
