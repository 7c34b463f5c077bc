// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CertificateSigningRequestSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested state.',
  properties: {
    request: {
      type: 'string',
      format: 'byte',
      description: 'PKCS#10 request, PEM in base64.',
    },
    signerName: {
      type: 'string',
      description: 'Name of the signer.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'For how many seconds.',
    },
    usages: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Intended use.',
      'x-kubernetes-list-type': 'atomic',
    },
    username: {
      type: 'string',
      description: 'User who makes the request.',
    },
    uid: {
      type: 'string',
      description: 'Uid of who asks.',
    },
    groups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Groups of who asks.',
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
      description: 'More about who asks.',
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
      description: 'Approved, Denied or Failed.',
    },
    status: {
      type: 'string',
      description: 'True.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    lastUpdateTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was written last.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it changed.',
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
      description: 'Approved, Denied, Failed.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    certificate: {
      type: 'string',
      format: 'byte',
      description: 'The certificate, PEM in base64.',
    },
  },
}

export const CertificateSigningRequest: StructuralSchema = {
  type: 'object',
  description: 'Asks for a certificate.',
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
      ...CertificateSigningRequestSpec,
      description: 'Requested state.',
    },
    status: {
      ...CertificateSigningRequestStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CertificateSigningRequest: CertificateSigningRequest,
}
