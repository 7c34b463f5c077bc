// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const LeaseSpec: StructuralSchema = {
  type: 'object',
  description: 'Holder and duration of a lease.',
  properties: {
    holderIdentity: {
      type: 'string',
      description: 'Identity of the holder; absent or empty when the lease is free.',
    },
    leaseDurationSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after renewTime at which another candidate may acquire the lease.',
    },
    acquireTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the holder acquired the lease.',
    },
    renewTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the holder last renewed the lease.',
    },
    leaseTransitions: {
      type: 'integer',
      format: 'int32',
      description: 'Number of changes of the holder.',
    },
    strategy: {
      type: 'string',
      description: 'Strategy for selecting the holder.',
    },
    preferredHolder: {
      type: 'string',
      description: 'Identity of the candidate that the holder should transfer the lease to.',
    },
  },
}

export const Lease: StructuralSchema = {
  type: 'object',
  description: 'Lease with a holder and a duration.',
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
      ...LeaseSpec,
      description: 'Holder and duration of the lease.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Lease: Lease,
}
