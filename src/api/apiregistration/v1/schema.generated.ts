// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ServiceReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to a service that serves a part of the API.',
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
      description: 'Service of the extension API server, which is accessed with TLS. When absent, the API server serves the group version itself.',
    },
    group: {
      type: 'string',
      description: 'API group.',
    },
    version: {
      type: 'string',
      description: 'Version within the group.',
    },
    insecureSkipTLSVerify: {
      type: 'boolean',
      description: 'True if the certificate of the service is not verified. Strongly discouraged: use caBundle instead.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle of CA certificates for verifying the certificate of the service, as base64. Defaults to the CA certificates of the system.',
    },
    groupPriorityMinimum: {
      type: 'integer',
      format: 'int32',
      description: 'Minimum priority of the group, 1 to 20000. Groups with a higher priority come first. Groups with the same priority are ordered by name.',
    },
    versionPriority: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the version within its group, 1 to 1000. Versions with a higher priority come first. Versions with the same priority are ordered by stability and number.',
    },
  },
  required: ['groupPriorityMinimum', 'versionPriority'],
}

export const APIServiceCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of an APIService.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: `Available`.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
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
  },
  required: ['type', 'status'],
}

export const APIServiceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a group version.',
  properties: {
    conditions: {
      type: 'array',
      items: APIServiceCondition,
      description: 'Conditions of the APIService.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const APIService: StructuralSchema = {
  type: 'object',
  description: 'Group version of the API, with the server that serves the group version. The name of the object must be `<version>.<group>`.',
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
      ...APIServiceSpec,
      description: 'Server of the group version.',
    },
    status: {
      ...APIServiceStatus,
      description: 'Observed state of the group version.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  APIService: APIService,
}
