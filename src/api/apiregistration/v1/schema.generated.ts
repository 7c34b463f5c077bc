// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ServiceReference: StructuralSchema = {
  type: 'object',
  description: 'A service that serves a part of the API.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the service.',
    },
    name: {
      type: 'string',
      description: 'Name of the service.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port of the service.',
      default: 443,
    },
  },
}

export const APIServiceSpec: StructuralSchema = {
  type: 'object',
  description: 'Server of a group version.',
  properties: {
    service: {
      ...ServiceReference,
      nullable: true,
      description: 'The service behind which a server of its own answers, with TLS. Without one the API server itself serves it.',
    },
    group: {
      type: 'string',
      description: 'Group.',
    },
    version: {
      type: 'string',
      description: 'Version within the group.',
    },
    insecureSkipTLSVerify: {
      type: 'boolean',
      description: 'Takes any certificate from the service. Strongly discouraged: use caBundle instead.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle that the certificate of the service is checked with, as base64. Default: the authorities of the system.',
    },
    groupPriorityMinimum: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the group at least, 1 to 20000. Groups with a higher priority come first; those with the same go by name.',
    },
    versionPriority: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the version within its group, 1 to 1000. Versions with a higher priority come first; those with the same go by stability and number.',
    },
  },
  required: ['groupPriorityMinimum', 'versionPriority'],
}

export const APIServiceCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of an APIService.',
  properties: {
    type: {
      type: 'string',
      description: '`Available`.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const APIServiceStatus: StructuralSchema = {
  type: 'object',
  description: 'Whether a group version is served.',
  properties: {
    conditions: {
      type: 'array',
      items: APIServiceCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const APIService: StructuralSchema = {
  type: 'object',
  description: 'A group version of the API and who serves it. The name must be `<version>.<group>`.',
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
      ...APIServiceSpec,
      description: 'Server of it.',
    },
    status: {
      ...APIServiceStatus,
      description: 'Whether it is served.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  APIService: APIService,
}
