// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const TokenReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'Token to verify.',
  properties: {
    token: {
      type: 'string',
      description: 'Token to verify.',
    },
    audiences: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Audiences, at least one of which the token must be valid for.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const UserInfo: StructuralSchema = {
  type: 'object',
  description: 'Attributes of a user.',
  properties: {
    username: {
      type: 'string',
      description: 'Name of the user.',
    },
    uid: {
      type: 'string',
      description: 'UID of the user.',
    },
    groups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Groups of the user.',
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
      description: 'Additional attributes of the user.',
    },
  },
}

export const TokenReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Result of the verification of a token.',
  properties: {
    authenticated: {
      type: 'boolean',
      description: 'True if the token is valid.',
    },
    user: {
      ...UserInfo,
      description: 'User that the token belongs to.',
    },
    audiences: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Audiences that the token is valid for.',
      'x-kubernetes-list-type': 'atomic',
    },
    error: {
      type: 'string',
      description: 'Error message of the verification.',
    },
  },
}

export const TokenReview: StructuralSchema = {
  type: 'object',
  description: 'Verifies a token and determines its user. Never stored.',
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
      ...TokenReviewSpec,
      description: 'Token to verify.',
    },
    status: {
      ...TokenReviewStatus,
      description: 'Result of the verification.',
    },
  },
  required: ['spec'],
}

export const SelfSubjectReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Identity of the caller.',
  properties: {
    userInfo: {
      ...UserInfo,
      description: 'Attributes of the user.',
    },
  },
}

export const SelfSubjectReview: StructuralSchema = {
  type: 'object',
  description: 'Determines the user of the caller. Never stored.',
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
    status: {
      ...SelfSubjectReviewStatus,
      description: 'Identity of the caller.',
    },
  },
}

export const TokenRequestSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested token.',
  properties: {
    audiences: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Audiences of the token.',
      'x-kubernetes-list-type': 'atomic',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Lifetime of the token in seconds.',
      default: 3600,
    },
    boundObjectRef: {
      ...ObjectReference,
      description: 'Object that the token is bound to. The token becomes invalid when the object is deleted.',
    },
  },
}

export const TokenRequestStatus: StructuralSchema = {
  type: 'object',
  description: 'Issued token of a ServiceAccount.',
  properties: {
    token: {
      type: 'string',
      description: 'Issued token.',
    },
    expirationTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the token expires.',
    },
  },
  required: ['token', 'expirationTimestamp'],
}

export const TokenRequest: StructuralSchema = {
  type: 'object',
  description: 'Request for a token of a ServiceAccount. Never stored.',
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
      ...TokenRequestSpec,
      description: 'Requested token.',
    },
    status: {
      ...TokenRequestStatus,
      description: 'Issued token.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  SelfSubjectReview: SelfSubjectReview,
  TokenRequest: TokenRequest,
  TokenReview: TokenReview,
}
