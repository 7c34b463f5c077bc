// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CertificateSigningRequestSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested certificate.',
  properties: {
    request: {
      type: 'string',
      format: 'byte',
      description: 'PKCS#10 certificate request, PEM in base64.',
    },
    signerName: {
      type: 'string',
      description: 'Name of the signer.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Requested lifetime of the certificate in seconds.',
    },
    usages: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Intended usages of the certificate.',
      'x-kubernetes-list-type': 'atomic',
    },
    username: {
      type: 'string',
      description: 'Name of the user that makes the request.',
    },
    uid: {
      type: 'string',
      description: 'UID of the user that makes the request.',
    },
    groups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Groups of the user that makes the request.',
      'x-kubernetes-list-type': 'atomic',
    },
    extra: {
      type: 'object',
      additionalProperties: {
        type: 'array',
        items: {
          type: 'string',
        },
      },
      description: 'Additional attributes of the user that makes the request.',
    },
  },
  required: ['request', 'signerName'],
}

export const CertificateSigningRequestCondition: StructuralSchema = {
  type: 'object',
  description: 'A decision about a request.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Approved, Denied or Failed.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the decision, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the decision.',
    },
    lastUpdateTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last update of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
  },
  required: ['type', 'status'],
}

export const CertificateSigningRequestStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a request.',
  properties: {
    conditions: {
      type: 'array',
      items: CertificateSigningRequestCondition,
      description: 'Conditions of the request: Approved, Denied, Failed.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    certificate: {
      type: 'string',
      format: 'byte',
      description: 'Issued certificate, PEM in base64.',
    },
  },
}

export const CertificateSigningRequest: StructuralSchema = {
  type: 'object',
  description: 'Request for a certificate.',
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
      ...CertificateSigningRequestSpec,
      description: 'Requested certificate.',
    },
    status: {
      ...CertificateSigningRequestStatus,
      description: 'Observed state of the request.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CertificateSigningRequest: CertificateSigningRequest,
}
