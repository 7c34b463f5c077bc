import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { AnyJson, Int64, Time } from '#api/scalars.ts'

/**
 * Change of the object of a component of HyperConverged that no field of HyperConverged expresses.
 * It is applied to the rendered object, and says who needs it, why, and until when.
 */
export interface ComponentOverride extends ApiObject {
  /** What is changed, and why. */
  spec: ComponentOverrideSpec
  /** Observed state of the override. */
  status?: ComponentOverrideStatus
}

/** Change of the object of a component. */
export interface ComponentOverrideSpec {
  /**
   * Component whose object is changed.
   * @enum kubevirt,cdi,network-addons,aaq,migration,file-restore,ssp
   */
  component: string
  /**
   * Operations on the rendered object. They are applied all or not at all.
   * @minItems 1
   * @maxItems 64
   * @listType atomic
   */
  patch: ComponentPatchOperation[]
  /**
   * Person or team that answers for the override.
   * @minLength 1
   * @maxLength 256
   */
  owner: string
  /**
   * Reason for the override.
   * @minLength 1
   * @maxLength 1024
   */
  reason: string
  /** Time from which the override is not applied any more. Default: never. */
  expiresAt?: Time
}

/**
 * Operation of a JSON patch (RFC 6902).
 * @rule !(self.op in ['move', 'copy']) || has(self.from); move and copy need from
 */
export interface ComponentPatchOperation {
  /**
   * Operation.
   * @enum add,remove,replace,move,copy,test
   */
  op: string
  /**
   * Path of the value: below the spec, a label or an annotation.
   * @pattern ^/(spec|metadata/labels|metadata/annotations)/.
   * @maxLength 1024
   */
  path: string
  /**
   * Path of the value that is moved or copied.
   * @pattern ^/(spec|metadata/labels|metadata/annotations)/.
   * @maxLength 1024
   */
  from?: string
  /** Value that is added, or tested for. */
  value?: AnyJson
}

/** Observed state of an override. */
export interface ComponentOverrideStatus {
  /**
   * Condition Applied: whether the override is part of the object of its component.
   * @listType map key=type
   */
  conditions?: Condition[]
  /** Generation of the spec that the status refers to. */
  observedGeneration?: Int64
}
