import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Int64, Time } from '#api/scalars.ts'

/** Adds a kind to the API. Its name is `<plural>.<group>`. */
export interface CustomResourceDefinition extends ApiObject {
  /** Definition of the kind. */
  spec: CustomResourceDefinitionSpec
  /** Observed state of the kind. */
  status?: CustomResourceDefinitionStatus
}

/** Definition of a kind. */
export interface CustomResourceDefinitionSpec {
  /** API group. */
  group: string
  /** Names of the kind. */
  names: CustomResourceDefinitionNames
  /** Namespaced or Cluster. */
  scope: 'Namespaced' | 'Cluster'
  /**
   * Versions of the kind; exactly one is stored.
   * @listType atomic
   */
  versions: CustomResourceDefinitionVersion[]
  /**
   * How objects are turned from one version into another.
   * @default {"strategy":"None"}
   */
  conversion?: CustomResourceConversion
  /** Must be false. */
  preserveUnknownFields?: boolean
}

/** Names of a kind. */
export interface CustomResourceDefinitionNames {
  /** Lower-case plural, as in URLs. */
  plural: string
  /** Lower-case singular; the lower-case kind when absent. */
  singular?: string
  /**
   * Short names for people.
   * @listType atomic
   */
  shortNames?: string[]
  /** Camel-case kind. */
  kind: string
  /** Kind of the list; kind with `List` when absent. */
  listKind?: string
  /**
   * Groups of resources, such as `all`.
   * @listType atomic
   */
  categories?: string[]
}

/** One version of a kind. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version: v1, v1beta1. */
  name: string
  /** Whether it is served. */
  served: boolean
  /** Whether objects are stored in it. */
  storage: boolean
  /** Whether its use is answered with a warning. */
  deprecated?: boolean
  /** Text of the warning. */
  deprecationWarning?: string
  /** Schema of the objects. */
  schema?: CustomResourceValidation
  /** Subresources of the objects. */
  subresources?: CustomResourceSubresources
  /**
   * Columns of tables.
   * @listType atomic
   */
  additionalPrinterColumns?: CustomResourceColumnDefinition[]
  /**
   * Fields that field selectors may name.
   * @listType atomic
   */
  selectableFields?: SelectableField[]
}

/** Schema of the objects of one version. */
export interface CustomResourceValidation {
  /**
   * A structural schema.
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

/** Where the scale subresource finds its values. */
export interface CustomResourceSubresourceScale {
  /** JSON path of the wanted number. */
  specReplicasPath: string
  /** JSON path of the present number. */
  statusReplicasPath: string
  /** JSON path of the label selector as a string. */
  labelSelectorPath?: string
}

/** A column of tables. */
export interface CustomResourceColumnDefinition {
  /** Heading. */
  name: string
  /** string, integer, number, boolean or date. */
  type: string
  /** Format of the type. */
  format?: string
  /** Description of the column. */
  description?: string
  /** 0 is always shown, more only in wide tables. */
  priority?: Int32
  /** JSON path of the value. */
  jsonPath: string
}

/** A field that field selectors may name. */
export interface SelectableField {
  /** JSON path of the field. */
  jsonPath: string
}

/** How objects are turned from one version into another. */
export interface CustomResourceConversion {
  /** None or Webhook. */
  strategy: 'None' | 'Webhook'
  /** Settings of Webhook. */
  webhook?: WebhookConversion
}

/** Conversion by a webhook. */
export interface WebhookConversion {
  /** How to reach it. */
  clientConfig?: ConversionWebhookClientConfig
  /**
   * Versions of ConversionReview that it understands.
   * @listType atomic
   */
  conversionReviewVersions: string[]
}

/** How to reach a conversion webhook: `url` or `service`. */
export interface ConversionWebhookClientConfig {
  /** URL. */
  url?: string
  /** Service. */
  service?: ConversionServiceReference
  /** PEM bundle that its certificate is checked with, as base64. */
  caBundle?: Bytes
}

/** A service that answers a conversion webhook. */
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
   * The state, by aspect.
   * @listType map key=type
   */
  conditions?: CustomResourceDefinitionCondition[]
  /** Names in force. */
  acceptedNames?: CustomResourceDefinitionNames
  /**
   * Versions in which objects may be stored.
   * @listType atomic
   */
  storedVersions?: string[]
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
}

/** One aspect of the state of a kind. */
export interface CustomResourceDefinitionCondition {
  /** Name of the aspect: NamesAccepted, Established, Terminating, NonStructuralSchema. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When the status last changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
}
