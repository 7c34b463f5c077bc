import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, Time } from '#api/scalars.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'

/** Asks who a token belongs to. Never stored. */
export interface TokenReview extends ApiObject {
  /** The question. */
  spec: TokenReviewSpec
  /** The answer. */
  status?: TokenReviewStatus
}

/** The question whom a token belongs to. */
export interface TokenReviewSpec {
  /** The token. */
  token?: string
  /**
   * Whom the token must be for.
   * @listType atomic
   */
  audiences?: string[]
}

/** The answer whom a token belongs to. */
export interface TokenReviewStatus {
  /** Whether it is valid. */
  authenticated?: boolean
  /** Its owner. */
  user?: UserInfo
  /**
   * Whom it is for.
   * @listType atomic
   */
  audiences?: string[]
  /** Error message. */
  error?: string
}

/** A user. */
export interface UserInfo {
  /** User name. */
  username?: string
  /** Identifies the user. */
  uid?: string
  /**
   * Groups of the user.
   * @listType atomic
   */
  groups?: string[]
  /** Further facts about the user. */
  extra?: Record<string, string[]>
}

/** Asks who the caller is. Never stored. */
export interface SelfSubjectReview extends ApiObject {
  /** The answer. */
  status?: SelfSubjectReviewStatus
}

/** Identity of the caller. */
export interface SelfSubjectReviewStatus {
  /** The user. */
  userInfo?: UserInfo
}

/** Asks for a token of a service account. Never stored. */
export interface TokenRequest extends ApiObject {
  /** Requested token. */
  spec: TokenRequestSpec
  /** The token. */
  status?: TokenRequestStatus
}

/** Requested token. */
export interface TokenRequestSpec {
  /**
   * Whom it is for.
   * @listType atomic
   */
  audiences?: string[]
  /**
   * Seconds that it is valid.
   * @default 3600
   */
  expirationSeconds?: Int64
  /** Object that it dies with. */
  boundObjectRef?: ObjectReference
}

/** A token of a service account. */
export interface TokenRequestStatus {
  /** The token. */
  token: string
  /** When it ends. */
  expirationTimestamp: Time
}
