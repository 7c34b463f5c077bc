import type { FieldError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { NameKind } from '#apimachinery/names.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/** One column of a Table. */
export interface TableColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  /** 0 is always shown, larger ones with `-o wide`. */
  readonly priority: number
  /** Computes the cell; `nowMs` is for ages. */
  readonly cell: (object: KubeObject, nowMs: number) => string | number | bigint | boolean | null
}

/** Behaviour of a kind beyond generic verbs. All functions are pure. */
export interface Strategy {
  /** Completes a new object before validation: defaults that a schema cannot express. */
  prepareForCreate?(object: KubeObject, nowMs: number): KubeObject
  /** Completes an updated object; restores immutable fields. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, nowMs: number): KubeObject
  /** Converts an apply configuration to the stored form, so that its manager owns stored fields. */
  prepareForApply?(config: KubeObject): KubeObject
  validate?(object: KubeObject, old: KubeObject | undefined): readonly FieldError[]
  /**
   * Validation by code that is loaded on first use, after everything else has passed. Undefined:
   * none for this object.
   */
  validateLater?(object: KubeObject, old: KubeObject | undefined): Promise<readonly FieldError[]> | undefined
  /** Default grace period in seconds. Undefined: immediate deletion. */
  gracePeriodSeconds?(object: KubeObject): number | undefined
  /** Reports whether the grace period is ignored. */
  endsAtOnce?(object: KubeObject): boolean
  /** True if a delete without a propagation policy orphans the dependents. Default: it does not. */
  readonly orphansDependents?: boolean
  /** Changes of the first delete besides deletionTimestamp: a phase, a finalizer. */
  markDeleting?(object: KubeObject, nowMs: number): KubeObject
  /** Reports whether a deleting object is kept for another reason than metadata.finalizers. */
  isHeld?(object: KubeObject): boolean
  /** True if create keeps the status: nodes register with theirs. */
  readonly keepsStatusOnCreate?: boolean
  /** Warnings after a successful write. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[]
}

/** All versions of a custom resource, including those not served. */
export interface VersionFamily {
  /** UID of the CustomResourceDefinition: a recreated one is another family. */
  readonly uid: string
  /** Schemas by apiVersion. */
  readonly schemas: ReadonlyMap<string, StructuralSchema>
  /**
   * Converts objects to another version, in order. Undefined: only the apiVersion changes.
   * @throws StatusError 500 when that fails for one of them
   */
  readonly convert?: ((objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>) | undefined
}

/**
 * A served version of a resource. Built-in ones are permanent, those of CustomResourceDefinitions
 * are not.
 */
export interface ResourceDefinition {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** Rule for names. Default `dns-subdomain`. */
  readonly nameKind?: NameKind
  readonly verbs: readonly ('create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch')[]
  /** `group/plural`, shared by all versions. */
  readonly storageKey: string
  /** apiVersion under which objects are stored. */
  readonly storageApiVersion: string
  readonly schema: StructuralSchema
  /**
   * True if status is a subresource: then the main resource ignores it, and status writes do not
   * increment generation.
   */
  readonly hasStatus: boolean
  /** Paths of a `scale` subresource. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
  /** True if metadata.generation is maintained; kinds without spec have none. */
  readonly hasGeneration: boolean
  /** True if an update may omit resourceVersion (last write wins). */
  readonly unconditionalUpdate: boolean
  /** True if an immediate delete answers with the object instead of a Status. */
  readonly deleteReturnsObject: boolean
  /** True if it comes from a CustomResourceDefinition: no strategic merge patch, schema pruning. */
  readonly custom: boolean
  readonly columns: readonly TableColumn[]
  /** Selectable fields besides metadata.name and metadata.namespace. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>
  readonly strategy: Strategy
  /** Versions and conversion of a custom resource. Undefined: a single version. */
  readonly family?: VersionFamily
  /** Conversion of the few built-in kinds with two versions or groups. */
  readonly translate?: (object: KubeObject, apiVersion: string) => KubeObject
  /** True if the CustomResourceDefinition is being deleted: no creates. */
  readonly terminating?: boolean
  /** Deprecation warning of this version. */
  readonly deprecationWarning?: string
  /** Further subresources, for discovery: `binding`, `eviction`, `log`. */
  readonly extraSubresources?: readonly {
    readonly name: string
    readonly kind: string
    readonly group: string
    readonly version: string
    readonly verbs: readonly string[]
  }[]
}

/** Served resources by group, version and plural. */
export interface ResourceRegistry {
  find(group: string, version: string, plural: string): ResourceDefinition | undefined
  /** Any served version of the storage key. */
  findByKind(group: string, version: string, kind: string): ResourceDefinition | undefined
  all(): readonly ResourceDefinition[]
  add(definition: ResourceDefinition): void
  remove(group: string, version: string, plural: string): void
  /** Increments with every change, for caches of discovery and OpenAPI. */
  readonly generation: number
}
