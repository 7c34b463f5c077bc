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
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number
  /** The cell. `nowMs` is for ages. */
  readonly cell: (object: KubeObject, nowMs: number) => string | number | boolean | null
}

/**
 * The behaviour of one kind beyond generic create, read, update and delete. All functions are pure.
 */
export interface Strategy {
  /** Completes a new object before validation: allocates, defaults what a schema cannot. */
  prepareForCreate?(object: KubeObject, nowMs: number): KubeObject
  /** The same for an update; carries over what this path may not change. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, nowMs: number): KubeObject
  /**
   * Brings what somebody applies into the form in which the kind is stored, so that its applier
   * owns what is there to own.
   */
  prepareForApply?(config: KubeObject): KubeObject
  validate?(object: KubeObject, old: KubeObject | undefined): readonly FieldError[]
  /**
   * Rules that take something which is loaded when it is first needed; asked when everything else
   * is fine. Undefined: there are none for this object.
   */
  validateLater?(object: KubeObject, old: KubeObject | undefined): Promise<readonly FieldError[]> | undefined
  /** Seconds of grace when a delete asks for none. Undefined: deletion is immediate. */
  gracePeriodSeconds?(object: KubeObject): number | undefined
  /** Whether grace would be pointless: the object ends at once whatever the client asked for. */
  endsAtOnce?(object: KubeObject): boolean
  /** What the first delete changes besides deletionTimestamp: a phase, a finalizer. */
  markDeleting?(object: KubeObject, nowMs: number): KubeObject
  /** Whether something other than metadata.finalizers holds a deleting object. */
  isHeld?(object: KubeObject): boolean
  /** A node registers together with its status; nobody else may send one at creation. */
  readonly keepsStatusOnCreate?: boolean
  /** Messages for the client after a successful write. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[]
}

/** All versions of one custom resource, also those that are not served. */
export interface VersionFamily {
  /** UID of the CustomResourceDefinition: another one of the same name is another family. */
  readonly uid: string
  /** Schemas by apiVersion. */
  readonly schemas: ReadonlyMap<string, StructuralSchema>
  /**
   * Turns objects into another version, all at once and in their order. Undefined: versions differ
   * in their apiVersion only.
   * @throws StatusError 500 when that fails for one of them
   */
  readonly convert?: ((objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>) | undefined
}

/** One served version of a resource. Built-in ones are made at start, those of CRDs come and go. */
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
  /** Which names are allowed. Default `dns-subdomain`. */
  readonly nameKind?: NameKind
  readonly verbs: readonly ('create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch')[]
  /** `group/plural`: where the objects lie, shared by all versions. */
  readonly storageKey: string
  /** apiVersion under which objects are stored. */
  readonly storageApiVersion: string
  readonly schema: StructuralSchema
  /**
   * True when `status` is a subresource: the main path then ignores status, and status writes never
   * bump generation.
   */
  readonly hasStatus: boolean
  /** Paths of a `scale` subresource. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
  /** Whether metadata.generation counts. Kinds without spec have none. */
  readonly hasGeneration: boolean
  /** Whether an update may omit resourceVersion (last write wins). */
  readonly unconditionalUpdate: boolean
  /** Whether an immediate delete answers with the object instead of a Status. */
  readonly deleteReturnsObject: boolean
  /**
   * Whether the resource comes from a CustomResourceDefinition: no strategic merge patch, schema
   * pruning.
   */
  readonly custom: boolean
  readonly columns: readonly TableColumn[]
  /** Fields that a field selector may name besides metadata.name and metadata.namespace. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>
  readonly strategy: Strategy
  /**
   * The versions of a custom resource, and how objects get from one to another. Undefined: there is
   * only this one.
   */
  readonly family?: VersionFamily
  /**
   * For the few built-in kinds that have two forms: the object in that of another version, or of
   * the same object in another group.
   */
  readonly translate?: (object: KubeObject, apiVersion: string) => KubeObject
  /** True while the CustomResourceDefinition is being deleted: no more creates. */
  readonly terminating?: boolean
  /** Text of the deprecation warning, when this version is deprecated. */
  readonly deprecationWarning?: string
  /** Subresources besides status and scale, for discovery: `binding`, `eviction`, `log`. */
  readonly extraSubresources?: readonly {
    readonly name: string
    readonly kind: string
    readonly group: string
    readonly version: string
    readonly verbs: readonly string[]
  }[]
}

/** All resources served now. Lookups are by group, version and plural. */
export interface ResourceRegistry {
  find(group: string, version: string, plural: string): ResourceDefinition | undefined
  /** Any served version of the storage key. */
  findByKind(group: string, version: string, kind: string): ResourceDefinition | undefined
  all(): readonly ResourceDefinition[]
  add(definition: ResourceDefinition): void
  remove(group: string, version: string, plural: string): void
  /** Counts changes, for caches of discovery and OpenAPI documents. */
  readonly generation: number
}
