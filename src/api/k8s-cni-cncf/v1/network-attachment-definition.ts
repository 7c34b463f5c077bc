import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** Network that pods can be attached to, as defined by the Network Plumbing Working Group. */
export interface NetworkAttachmentDefinition extends ApiObject {
  /** Desired state. */
  spec?: NetworkAttachmentDefinitionSpec
}

/** Desired state of a network. */
export interface NetworkAttachmentDefinitionSpec {
  /** Configuration of a CNI plugin, or a list of plugins, as JSON. */
  config?: string
}
