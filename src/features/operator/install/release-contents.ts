import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Registration } from '#features/certificates/index.ts'
import type { RbacObject } from './rbac.ts'

/** A group of recording rules and alerts of Prometheus. */
export interface RuleGroup {
  readonly name: string
  readonly rules: readonly {
    readonly record?: string
    readonly alert?: string
    readonly expr: string
    readonly annotations?: Readonly<Record<string, string>>
  }[]
}

/** Cluster-wide objects that a release brings beside its components. */
export interface ReleaseContents {
  readonly definitions: {
    /** Hash of the manifest with all CRDs, and their number. */
    readonly hash: string
    readonly count: number
    readonly read: () => Promise<readonly CustomResourceDefinition[]>
  }
  readonly access: readonly RbacObject[]
  /** Undefined for a release whose virt-api registers its webhooks itself. */
  readonly registrations?: readonly Registration[] | undefined
  /** Reads the rules for Prometheus. Undefined for a release without any. */
  readonly rules?: (() => Promise<readonly RuleGroup[]>) | undefined
}

/** Reads the contents of a release. Rejects when that release is not available. */
export type ReadReleaseContents = (version: string) => Promise<ReleaseContents>
