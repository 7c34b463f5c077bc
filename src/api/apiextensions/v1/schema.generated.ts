// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { KubeObject, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ConversionRequest: StructuralSchema = {
  type: 'object',
  description: 'The question to a conversion webhook.',
  properties: {
    uid: {
      type: 'string',
      description: 'Identifies the question; the answer repeats it.',
    },
    desiredAPIVersion: {
      type: 'string',
      description: 'The version that the objects are wanted in: `stable.example.com/v1`.',
    },
    objects: {
      type: 'array',
      items: KubeObject,
      description: 'The objects, in whatever versions they are.',
    },
  },
  required: ['uid', 'desiredAPIVersion', 'objects'],
}

export const ConversionResult: StructuralSchema = {
  type: 'object',
  description: 'Whether a conversion worked.',
  properties: {
    status: {
      type: 'string',
      description: '`Success`, or anything else.',
    },
    message: {
      type: 'string',
      description: 'Why it did not.',
    },
  },
}

export const ConversionResponse: StructuralSchema = {
  type: 'object',
  description: 'The answer of a conversion webhook.',
  properties: {
    uid: {
      type: 'string',
      description: 'Of the question.',
    },
    convertedObjects: {
      type: 'array',
      items: KubeObject,
      description: 'The objects in the wanted version, in the order of the question.',
    },
    result: {
      ...ConversionResult,
      description: 'Whether all of them could be converted.',
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
      description: 'The question.',
    },
    response: {
      ...ConversionResponse,
      description: 'The answer.',
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
      description: 'Lower-case plural, as in URLs.',
    },
    singular: {
      type: 'string',
      description: 'Lower-case singular; the lower-case kind when absent.',
    },
    shortNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Short names for people.',
      'x-kubernetes-list-type': 'atomic',
    },
    kind: {
      type: 'string',
      description: 'Camel-case kind.',
    },
    listKind: {
      type: 'string',
      description: 'Kind of the list; kind with `List` when absent.',
    },
    categories: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Groups of resources, such as `all`.',
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
      description: 'A structural schema.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
}

export const CustomResourceSubresourceScale: StructuralSchema = {
  type: 'object',
  description: 'Where the scale subresource finds its values.',
  properties: {
    specReplicasPath: {
      type: 'string',
      description: 'JSON path of the wanted number.',
    },
    statusReplicasPath: {
      type: 'string',
      description: 'JSON path of the present number.',
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
  description: 'A column of tables.',
  properties: {
    name: {
      type: 'string',
      description: 'Heading.',
    },
    type: {
      type: 'string',
      description: 'string, integer, number, boolean or date.',
    },
    format: {
      type: 'string',
      description: 'Format of the type.',
    },
    description: {
      type: 'string',
      description: 'Description of the column.',
    },
    priority: {
      type: 'integer',
      format: 'int32',
      description: '0 is always shown, more only in wide tables.',
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
  description: 'A field that field selectors may name.',
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
      description: 'Whether it is served.',
    },
    storage: {
      type: 'boolean',
      description: 'Whether objects are stored in it.',
    },
    deprecated: {
      type: 'boolean',
      description: 'Whether its use is answered with a warning.',
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
      description: 'Columns of tables.',
      'x-kubernetes-list-type': 'atomic',
    },
    selectableFields: {
      type: 'array',
      items: SelectableField,
      description: 'Fields that field selectors may name.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name', 'served', 'storage'],
}

export const ConversionServiceReference: StructuralSchema = {
  type: 'object',
  description: 'A service that answers a conversion webhook.',
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
  description: 'How to reach a conversion webhook: `url` or `service`.',
  properties: {
    url: {
      type: 'string',
      description: 'URL.',
    },
    service: {
      ...ConversionServiceReference,
      description: 'Service.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle that its certificate is checked with, as base64.',
    },
  },
}

export const WebhookConversion: StructuralSchema = {
  type: 'object',
  description: 'Conversion by a webhook.',
  properties: {
    clientConfig: {
      ...ConversionWebhookClientConfig,
      description: 'How to reach it.',
    },
    conversionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of ConversionReview that it understands.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['conversionReviewVersions'],
}

export const CustomResourceConversion: StructuralSchema = {
  type: 'object',
  description: 'How objects are turned from one version into another.',
  properties: {
    strategy: {
      type: 'string',
      enum: ['None', 'Webhook'],
      description: 'None or Webhook.',
    },
    webhook: {
      ...WebhookConversion,
      description: 'Settings of Webhook.',
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
      description: 'API group.',
    },
    names: {
      ...CustomResourceDefinitionNames,
      description: 'Names of the kind.',
    },
    scope: {
      type: 'string',
      enum: ['Namespaced', 'Cluster'],
      description: 'Namespaced or Cluster.',
    },
    versions: {
      type: 'array',
      items: CustomResourceDefinitionVersion,
      description: 'Versions of the kind; exactly one is stored.',
      'x-kubernetes-list-type': 'atomic',
    },
    conversion: {
      ...CustomResourceConversion,
      description: 'How objects are turned from one version into another.',
      default: {
        strategy: 'None',
      },
    },
    preserveUnknownFields: {
      type: 'boolean',
      description: 'Must be false.',
    },
  },
  required: ['group', 'names', 'scope', 'versions'],
}

export const CustomResourceDefinitionCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a kind.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: NamesAccepted, Established, Terminating, NonStructuralSchema.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
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
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    acceptedNames: {
      ...CustomResourceDefinitionNames,
      description: 'Names in force.',
    },
    storedVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions in which objects may be stored.',
      'x-kubernetes-list-type': 'atomic',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
  },
}

export const CustomResourceDefinition: StructuralSchema = {
  type: 'object',
  description: 'Adds a kind to the API. Its name is `<plural>.<group>`.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
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
