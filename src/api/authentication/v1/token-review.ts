import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, Time } from '#api/scalars.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'

/** Verifies a token and determines its user. Never stored. */
export interface TokenReview extends ApiObject {
  /** Token to verify. */
  spec: TokenReviewSpec
  /** Result of the verification. */
  status?: TokenReviewStatus
}

/** Token to verify. */
export interface TokenReviewSpec {
  /** Token to verify. */
  token?: string
  /**
   * Audiences, at least one of which the token must be valid for.
   * @listType atomic
   */
  audiences?: string[]
}

/** Result of the verification of a token. */
export interface TokenReviewStatus {
  /** True if the token is valid. */
  authenticated?: boolean
  /** User that the token belongs to. */
  user?: UserInfo
  /**
   * Audiences that the token is valid for.
   * @listType atomic
   */
  audiences?: string[]
  /** Error message of the verification. */
  error?: string
}

/** Attributes of a user. */
export interface UserInfo {
  /** Name of the user. */
  username?: string
  /** UID of the user. */
  uid?: string
  /**
   * Groups of the user.
   * @listType atomic
   */
  groups?: string[]
  /** Additional attributes of the user. */
  extra?: Record<string, string[]>
}

/** Determines the user of the caller. Never stored. */
export interface SelfSubjectReview extends ApiObject {
  /** Identity of the caller. */
  status?: SelfSubjectReviewStatus
}

/** Identity of the caller. */
export interface SelfSubjectReviewStatus {
  /** Attributes of the user. */
  userInfo?: UserInfo
}

/** Request for a token of a ServiceAccount. Never stored. */
export interface TokenRequest extends ApiObject {
  /** Requested token. */
  spec: TokenRequestSpec
  /** Issued token. */
  status?: TokenRequestStatus
}

/** Requested token. */
export interface TokenRequestSpec {
  /**
   * Audiences of the token.
   * @listType atomic
   */
  audiences?: string[]
  /**
   * Lifetime of the token in seconds.
   * @default 3600
   */
  expirationSeconds?: Int64
  /** Object that the token is bound to. The token becomes invalid when the object is deleted. */
  boundObjectRef?: ObjectReference
}

/** Issued token of a ServiceAccount. */
export interface TokenRequestStatus {
  /** Issued token. */
  token: string
  /** Time when the token expires. */
  expirationTimestamp: Time
}
