import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Int64, Time } from '#api/scalars.ts'

/** Adds a kind to the API. The name of the object is `<plural>.<group>`. */
export interface CustomResourceDefinition extends ApiObject {
  /** Definition of the kind. */
  spec: CustomResourceDefinitionSpec
  /** Observed state of the kind. */
  status?: CustomResourceDefinitionStatus
}

/** Definition of a kind. */
export interface CustomResourceDefinitionSpec {
  /** API group of the kind. */
  group: string
  /** Names of the kind. */
  names: CustomResourceDefinitionNames
  /** Scope of the objects: Namespaced or Cluster. */
  scope: 'Namespaced' | 'Cluster'
  /**
   * Versions of the kind. Exactly one version is the storage version.
   * @listType atomic
   */
  versions: CustomResourceDefinitionVersion[]
  /**
   * Conversion of objects between versions.
   * @default {"strategy":"None"}
   */
  conversion?: CustomResourceConversion
  /** Preservation of unknown fields. Must be false. */
  preserveUnknownFields?: boolean
}

/** Names of a kind. */
export interface CustomResourceDefinitionNames {
  /** Plural name in lower case, as in URLs. */
  plural: string
  /** Singular name in lower case; the kind in lower case when absent. */
  singular?: string
  /**
   * Short names for use on the command line.
   * @listType atomic
   */
  shortNames?: string[]
  /** Kind in CamelCase. */
  kind: string
  /** Kind of the list; the kind with the suffix `List` when absent. */
  listKind?: string
  /**
   * Categories of resources that the kind belongs to, such as `all`.
   * @listType atomic
   */
  categories?: string[]
}

/** One version of a kind. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version: v1, v1beta1. */
  name: string
  /** True if the version is served. */
  served: boolean
  /** True if objects are stored in the version. */
  storage: boolean
  /** True if the use of the version causes a warning. */
  deprecated?: boolean
  /** Text of the warning. */
  deprecationWarning?: string
  /** Schema of the objects. */
  schema?: CustomResourceValidation
  /** Subresources of the objects. */
  subresources?: CustomResourceSubresources
  /**
   * Columns of the objects in tables.
   * @listType atomic
   */
  additionalPrinterColumns?: CustomResourceColumnDefinition[]
  /**
   * Fields that can be used in field selectors.
   * @listType atomic
   */
  selectableFields?: SelectableField[]
}

/** Schema of the objects of one version. */
export interface CustomResourceValidation {
  /**
   * Structural schema.
   * @preserveUnknownFields
   */
  openAPIV3Schema?: StructuralSchema
}

/** Subresources of the objects of one version. */
export interface CustomResourceSubresources {
  /**
   * Enables the status subresource.
   * @preserveUnknownFields
   */
  status?: Record<string, unknown>
  /** Enables the scale subresource. */
  scale?: CustomResourceSubresourceScale
}

/** JSON paths of the values of the scale subresource. */
export interface CustomResourceSubresourceScale {
  /** JSON path of the desired number of replicas. */
  specReplicasPath: string
  /** JSON path of the current number of replicas. */
  statusReplicasPath: string
  /** JSON path of the label selector as a string. */
  labelSelectorPath?: string
}

/** Column of tables. */
export interface CustomResourceColumnDefinition {
  /** Heading of the column. */
  name: string
  /** Type of the values: string, integer, number, boolean or date. */
  type: string
  /** Format of the values. */
  format?: string
  /** Description of the column. */
  description?: string
  /**
   * Priority of the column. A column with the priority 0 is always shown, a column with a higher
   * priority only in wide tables.
   */
  priority?: Int32
  /** JSON path of the value. */
  jsonPath: string
}

/** Field that can be used in field selectors. */
export interface SelectableField {
  /** JSON path of the field. */
  jsonPath: string
}

/** Conversion of objects between versions. */
export interface CustomResourceConversion {
  /** Conversion strategy: None or Webhook. */
  strategy: 'None' | 'Webhook'
  /** Settings of the Webhook strategy. */
  webhook?: WebhookConversion
}

/** Conversion by a webhook. */
export interface WebhookConversion {
  /** Connection to the webhook. */
  clientConfig?: ConversionWebhookClientConfig
  /**
   * Versions of ConversionReview that the webhook supports.
   * @listType atomic
   */
  conversionReviewVersions: string[]
}

/** Connection to a conversion webhook: `url` or `service`. */
export interface ConversionWebhookClientConfig {
  /** URL of the webhook. */
  url?: string
  /** Service of the webhook. */
  service?: ConversionServiceReference
  /** PEM bundle of CA certificates for verifying the certificate of the webhook, as base64. */
  caBundle?: Bytes
}

/** Reference to the service of a conversion webhook. */
export interface ConversionServiceReference {
  /** Namespace of the service. */
  namespace: string
  /** Name of the service. */
  name: string
  /** Path of the URL. */
  path?: string
  /**
   * Port of the service.
   * @default 443
   */
  port?: Int32
}

/** Observed state of a kind. */
export interface CustomResourceDefinitionStatus {
  /**
   * Conditions of the CustomResourceDefinition.
   * @listType map key=type
   */
  conditions?: CustomResourceDefinitionCondition[]
  /** Names in effect. */
  acceptedNames?: CustomResourceDefinitionNames
  /**
   * Versions in which stored objects can exist.
   * @listType atomic
   */
  storedVersions?: string[]
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
}

/** Condition of a kind. */
export interface CustomResourceDefinitionCondition {
  /**
   * Type of the condition: NamesAccepted, Established, Terminating, NonStructuralSchema.
   * @default ""
   */
  type: string
  /**
   * Status of the condition: True, False or Unknown.
   * @default ""
   */
  status: string
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
  /** Generation of the spec that the condition describes. */
  observedGeneration?: Int64
}
