// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const TokenReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'The question whom a token belongs to.',
  properties: {
    token: {
      type: 'string',
      description: 'The token.',
    },
    audiences: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Whom the token must be for.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const UserInfo: StructuralSchema = {
  type: 'object',
  description: 'A user.',
  properties: {
    username: {
      type: 'string',
      description: 'User name.',
    },
    uid: {
      type: 'string',
      description: 'Identifies the user.',
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
      description: 'Further facts about the user.',
    },
  },
}

export const TokenReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'The answer whom a token belongs to.',
  properties: {
    authenticated: {
      type: 'boolean',
      description: 'Whether it is valid.',
    },
    user: {
      ...UserInfo,
      description: 'Its owner.',
    },
    audiences: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Whom it is for.',
      'x-kubernetes-list-type': 'atomic',
    },
    error: {
      type: 'string',
      description: 'Error message.',
    },
  },
}

export const TokenReview: StructuralSchema = {
  type: 'object',
  description: 'Asks who a token belongs to. Never stored.',
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
      ...TokenReviewSpec,
      description: 'The question.',
    },
    status: {
      ...TokenReviewStatus,
      description: 'The answer.',
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
      description: 'The user.',
    },
  },
}

export const SelfSubjectReview: StructuralSchema = {
  type: 'object',
  description: 'Asks who the caller is. Never stored.',
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
    status: {
      ...SelfSubjectReviewStatus,
      description: 'The answer.',
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
      description: 'Whom it is for.',
      'x-kubernetes-list-type': 'atomic',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that it is valid.',
      default: 3600,
    },
    boundObjectRef: {
      ...ObjectReference,
      description: 'Object that it dies with.',
    },
  },
}

export const TokenRequestStatus: StructuralSchema = {
  type: 'object',
  description: 'A token of a service account.',
  properties: {
    token: {
      type: 'string',
      description: 'The token.',
    },
    expirationTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it ends.',
    },
  },
  required: ['token', 'expirationTimestamp'],
}

export const TokenRequest: StructuralSchema = {
  type: 'object',
  description: 'Asks for a token of a service account. Never stored.',
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
      ...TokenRequestSpec,
      description: 'Requested token.',
    },
    status: {
      ...TokenRequestStatus,
      description: 'The token.',
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
