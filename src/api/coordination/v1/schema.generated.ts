// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const LeaseSpec: StructuralSchema = {
  type: 'object',
  description: 'Holder of the lease.',
  properties: {
    holderIdentity: {
      type: 'string',
      description: 'Identity of the holder; absent or empty when the lease is free.',
    },
    leaseDurationSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after renewTime at which others may take it.',
    },
    acquireTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the holder got it.',
    },
    renewTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the holder last renewed it.',
    },
    leaseTransitions: {
      type: 'integer',
      format: 'int32',
      description: 'How often it changed hands.',
    },
    strategy: {
      type: 'string',
      description: 'How the holder is chosen.',
    },
    preferredHolder: {
      type: 'string',
      description: 'Whom the holder should hand over to.',
    },
  },
}

export const Lease: StructuralSchema = {
  type: 'object',
  description: 'Says who holds something, and until when.',
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
      ...LeaseSpec,
      description: 'Holder of the lease.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Lease: Lease,
}
