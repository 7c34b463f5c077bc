import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration } from '#api/scalars.ts'

/** Extension of the platform by programs of others. */
export interface Plugin extends ApiObject {
  /** Hooks of the extension. */
  spec: PluginSpec
  /** Status of the extension. Never written. */
  status?: PluginStatus
}

/** Status without fields. */
export interface PluginStatus {}

/** Hooks of an extension. */
export interface PluginSpec {
  /** CEL expression that selects VMIs. */
  condition?: string
  /** Effect of a hook that fails. */
  failureStrategy?: string
  /**
   * Hooks that change the domain of a guest.
   * @listType atomic
   */
  domainHooks?: DomainHook[]
  /**
   * Hooks on the node of a guest.
   * @listType atomic
   */
  nodeHooks?: NodeHook[]
  /**
   * Admission policies of the extension that change objects.
   * @listType atomic
   */
  mutatingAdmissionPolicies?: AdmissionObjectReference[]
  /**
   * Admission webhooks of the extension that change objects.
   * @listType atomic
   */
  mutatingAdmissionWebhooks?: AdmissionObjectReference[]
  /**
   * Admission policies of the extension.
   * @listType atomic
   */
  validatingAdmissionPolicies?: AdmissionObjectReference[]
  /**
   * Admission webhooks of the extension.
   * @listType atomic
   */
  validatingAdmissionWebhooks?: AdmissionObjectReference[]
}

/** Hook that changes the domain of a guest. */
export interface DomainHook {
  /** CEL expression that selects VMIs. */
  condition?: string
  /** Effect of a failure. */
  failureStrategy?: string
  /** Time for an answer. */
  timeout?: Duration
  /** Change by a CEL expression. */
  cel?: CELDomainHook
  /** Change by a container of the launcher pod. */
  sidecar?: SidecarDomainHook
}

/** Change of the domain by a CEL expression. */
export interface CELDomainHook {
  /**
   * The expression.
   * @minLength 1
   */
  expression: string
}

/** Change of the domain by a container of the launcher pod. */
export interface SidecarDomainHook {
  /**
   * Path of the socket of the container.
   * @minLength 1
   */
  socketPath: string
}

/** Hook on the node of a guest. */
export interface NodeHook {
  /**
   * Path of the socket of the program.
   * @minLength 1
   */
  socket: string
  /**
   * Points in the life of a guest at which the program is called.
   * @listType atomic
   * @minItems 1
   */
  permittedHooks: string[]
  /** CEL expression that selects VMIs. */
  condition?: string
  /** Effect of a failure. */
  failureStrategy?: string
  /** Time for an answer. */
  timeout?: Duration
}

/** Reference to an admission policy or webhook. */
export interface AdmissionObjectReference {
  /**
   * Name of the object.
   * @minLength 1
   */
  name: string
}
