import type {
  ConversionWebhookClientConfig,
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
} from '#api/apiextensions/v1/custom-resource-definition.ts'

/** One version of a kind that is installed by a CustomResourceDefinition. */
export interface CustomVersion {
  readonly name: string
  readonly storage: boolean
  /** Default true. A version that is not served can be enabled in a running cluster. */
  readonly served?: boolean
  /** File of the interface, if it is another than that of the kind. */
  readonly file?: string
  readonly deprecated?: boolean
  /** Warning for users of a deprecated version. Default: the warning of Kubernetes. */
  readonly deprecationWarning?: string
}

/** A kind that is installed by a CustomResourceDefinition. */
export interface CustomKind {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly versions: readonly CustomVersion[]
  readonly columns: readonly CustomResourceColumnDefinition[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly subresources?: CustomResourceSubresources
  /** Webhook that converts between the versions. It adds its CA bundle itself. */
  readonly converter?: ConversionWebhookClientConfig
  /** File of the interface, of all versions that name none. */
  readonly file: string
}

/** Column with the age of the object. */
export const age: CustomResourceColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }
