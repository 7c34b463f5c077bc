// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { KubeObject, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ConversionRequest: StructuralSchema = {
  type: 'object',
  description: 'Request to a conversion webhook.',
  properties: {
    uid: {
      type: 'string',
      description: 'ID of the request. The response must contain the same ID.',
    },
    desiredAPIVersion: {
      type: 'string',
      description: 'API version to convert the objects to: `stable.example.com/v1`.',
    },
    objects: {
      type: 'array',
      items: KubeObject,
      description: 'Objects to convert. The objects can have different versions.',
    },
  },
  required: ['uid', 'desiredAPIVersion', 'objects'],
}

export const ConversionResult: StructuralSchema = {
  type: 'object',
  description: 'Result of a conversion.',
  properties: {
    status: {
      type: 'string',
      description: '`Success`, or any other value for a failure.',
    },
    message: {
      type: 'string',
      description: 'Reason of the failure.',
    },
  },
}

export const ConversionResponse: StructuralSchema = {
  type: 'object',
  description: 'Response of a conversion webhook.',
  properties: {
    uid: {
      type: 'string',
      description: 'ID of the request.',
    },
    convertedObjects: {
      type: 'array',
      items: KubeObject,
      description: 'Objects in the desired version, in the order of the request.',
    },
    result: {
      ...ConversionResult,
      description: 'Result of the conversion of all objects.',
    },
  },
  required: ['uid', 'result'],
}

export const ConversionReview: StructuralSchema = {
  type: 'object',
  description: 'Request to a conversion webhook and its response. Never stored.',
  properties: {
    apiVersion: {
      type: 'string',
      description: '`apiextensions.k8s.io/v1`',
    },
    kind: {
      type: 'string',
      description: '`ConversionReview`',
    },
    request: {
      ...ConversionRequest,
      description: 'Request to the webhook.',
    },
    response: {
      ...ConversionResponse,
      description: 'Response of the webhook.',
    },
  },
  required: ['apiVersion', 'kind'],
}

export const CustomResourceDefinitionNames: StructuralSchema = {
  type: 'object',
  description: 'Names of a kind.',
  properties: {
    plural: {
      type: 'string',
      description: 'Plural name in lower case, as in URLs.',
    },
    singular: {
      type: 'string',
      description: 'Singular name in lower case; the kind in lower case when absent.',
    },
    shortNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Short names for use on the command line.',
      'x-kubernetes-list-type': 'atomic',
    },
    kind: {
      type: 'string',
      description: 'Kind in CamelCase.',
    },
    listKind: {
      type: 'string',
      description: 'Kind of the list; the kind with the suffix `List` when absent.',
    },
    categories: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Categories of resources that the kind belongs to, such as `all`.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['plural', 'kind'],
}

export const CustomResourceValidation: StructuralSchema = {
  type: 'object',
  description: 'Schema of the objects of one version.',
  properties: {
    openAPIV3Schema: {
      type: 'object',
      description: 'Structural schema.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
}

export const CustomResourceSubresourceScale: StructuralSchema = {
  type: 'object',
  description: 'JSON paths of the values of the scale subresource.',
  properties: {
    specReplicasPath: {
      type: 'string',
      description: 'JSON path of the desired number of replicas.',
    },
    statusReplicasPath: {
      type: 'string',
      description: 'JSON path of the current number of replicas.',
    },
    labelSelectorPath: {
      type: 'string',
      description: 'JSON path of the label selector as a string.',
    },
  },
  required: ['specReplicasPath', 'statusReplicasPath'],
}

export const CustomResourceSubresources: StructuralSchema = {
  type: 'object',
  description: 'Subresources of the objects of one version.',
  properties: {
    status: {
      type: 'object',
      description: 'Enables the status subresource.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    scale: {
      ...CustomResourceSubresourceScale,
      description: 'Enables the scale subresource.',
    },
  },
}

export const CustomResourceColumnDefinition: StructuralSchema = {
  type: 'object',
  description: 'Column of tables.',
  properties: {
    name: {
      type: 'string',
      description: 'Heading of the column.',
    },
    type: {
      type: 'string',
      description: 'Type of the values: string, integer, number, boolean or date.',
    },
    format: {
      type: 'string',
      description: 'Format of the values.',
    },
    description: {
      type: 'string',
      description: 'Description of the column.',
    },
    priority: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the column. A column with the priority 0 is always shown, a column with a higher priority only in wide tables.',
    },
    jsonPath: {
      type: 'string',
      description: 'JSON path of the value.',
    },
  },
  required: ['name', 'type', 'jsonPath'],
}

export const SelectableField: StructuralSchema = {
  type: 'object',
  description: 'Field that can be used in field selectors.',
  properties: {
    jsonPath: {
      type: 'string',
      description: 'JSON path of the field.',
    },
  },
  required: ['jsonPath'],
}

export const CustomResourceDefinitionVersion: StructuralSchema = {
  type: 'object',
  description: 'One version of a kind.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the version: v1, v1beta1.',
    },
    served: {
      type: 'boolean',
      description: 'True if the version is served.',
    },
    storage: {
      type: 'boolean',
      description: 'True if objects are stored in the version.',
    },
    deprecated: {
      type: 'boolean',
      description: 'True if the use of the version causes a warning.',
    },
    deprecationWarning: {
      type: 'string',
      description: 'Text of the warning.',
    },
    schema: {
      ...CustomResourceValidation,
      description: 'Schema of the objects.',
    },
    subresources: {
      ...CustomResourceSubresources,
      description: 'Subresources of the objects.',
    },
    additionalPrinterColumns: {
      type: 'array',
      items: CustomResourceColumnDefinition,
      description: 'Columns of the objects in tables.',
      'x-kubernetes-list-type': 'atomic',
    },
    selectableFields: {
      type: 'array',
      items: SelectableField,
      description: 'Fields that can be used in field selectors.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name', 'served', 'storage'],
}

export const ConversionServiceReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to the service of a conversion webhook.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the service.',
    },
    name: {
      type: 'string',
      description: 'Name of the service.',
    },
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port of the service.',
      default: 443,
    },
  },
  required: ['namespace', 'name'],
}

export const ConversionWebhookClientConfig: StructuralSchema = {
  type: 'object',
  description: 'Connection to a conversion webhook: `url` or `service`.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the webhook.',
    },
    service: {
      ...ConversionServiceReference,
      description: 'Service of the webhook.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle of CA certificates for verifying the certificate of the webhook, as base64.',
    },
  },
}

export const WebhookConversion: StructuralSchema = {
  type: 'object',
  description: 'Conversion by a webhook.',
  properties: {
    clientConfig: {
      ...ConversionWebhookClientConfig,
      description: 'Connection to the webhook.',
    },
    conversionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of ConversionReview that the webhook supports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['conversionReviewVersions'],
}

export const CustomResourceConversion: StructuralSchema = {
  type: 'object',
  description: 'Conversion of objects between versions.',
  properties: {
    strategy: {
      type: 'string',
      enum: ['None', 'Webhook'],
      description: 'Conversion strategy: None or Webhook.',
    },
    webhook: {
      ...WebhookConversion,
      description: 'Settings of the Webhook strategy.',
    },
  },
  required: ['strategy'],
}

export const CustomResourceDefinitionSpec: StructuralSchema = {
  type: 'object',
  description: 'Definition of a kind.',
  properties: {
    group: {
      type: 'string',
      description: 'API group of the kind.',
    },
    names: {
      ...CustomResourceDefinitionNames,
      description: 'Names of the kind.',
    },
    scope: {
      type: 'string',
      enum: ['Namespaced', 'Cluster'],
      description: 'Scope of the objects: Namespaced or Cluster.',
    },
    versions: {
      type: 'array',
      items: CustomResourceDefinitionVersion,
      description: 'Versions of the kind. Exactly one version is the storage version.',
      'x-kubernetes-list-type': 'atomic',
    },
    conversion: {
      ...CustomResourceConversion,
      description: 'Conversion of objects between versions.',
      default: {
        strategy: 'None',
      },
    },
    preserveUnknownFields: {
      type: 'boolean',
      description: 'Preservation of unknown fields. Must be false.',
    },
  },
  required: ['group', 'names', 'scope', 'versions'],
}

export const CustomResourceDefinitionCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a kind.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: NamesAccepted, Established, Terminating, NonStructuralSchema.',
      default: '',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
      default: '',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the condition describes.',
    },
  },
  required: ['type', 'status'],
}

export const CustomResourceDefinitionStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a kind.',
  properties: {
    conditions: {
      type: 'array',
      items: CustomResourceDefinitionCondition,
      description: 'Conditions of the CustomResourceDefinition.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    acceptedNames: {
      ...CustomResourceDefinitionNames,
      description: 'Names in effect.',
    },
    storedVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions in which stored objects can exist.',
      'x-kubernetes-list-type': 'atomic',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
  },
}

export const CustomResourceDefinition: StructuralSchema = {
  type: 'object',
  description: 'Adds a kind to the API. The name of the object is `<plural>.<group>`.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...CustomResourceDefinitionSpec,
      description: 'Definition of the kind.',
    },
    status: {
      ...CustomResourceDefinitionStatus,
      description: 'Observed state of the kind.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CustomResourceDefinition: CustomResourceDefinition,
}
