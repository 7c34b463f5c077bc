import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { GroupVersionKind, GroupVersionResource } from '#api/meta/v1/group-version-kind.ts'
import type { Bytes, Int32 } from '#api/scalars.ts'

/** Request to an admission webhook and its response. Never stored. */
export interface AdmissionReview {
  /** `admission.k8s.io/v1` */
  apiVersion: string
  /** `AdmissionReview` */
  kind: string
  /** The question. */
  request?: AdmissionRequest
  /** The answer. */
  response?: AdmissionResponse
}

/** The question to an admission webhook. */
export interface AdmissionRequest {
  /** Identifies the question; the answer repeats it. */
  uid: string
  /** Kind of the object as sent. */
  kind: GroupVersionKind
  /** Resource as sent. */
  resource: GroupVersionResource
  /** Subresource, if any. */
  subResource?: string
  /** Kind before it was turned into a version that the rules name. */
  requestKind?: GroupVersionKind
  /** Resource before it was turned into a version that the rules name. */
  requestResource?: GroupVersionResource
  /** Subresource of the original request. */
  requestSubResource?: string
  /** Name of the object; empty when the server makes it. */
  name?: string
  /** Namespace of the object. */
  namespace?: string
  /** Operation of the request. */
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  /** User who makes the request. */
  userInfo: UserInfo
  /** The object as it would be; null for deletions. */
  object?: KubeObject | null
  /** The object as it is; null for creations. */
  oldObject?: KubeObject | null
  /** True when nothing will be stored. */
  dryRun?: boolean
  /** Options of the operation. */
  options?: KubeObject | null
}

/** User who makes the request. */
export interface UserInfo {
  /** User name. */
  username?: string
  /** Identifies the user. */
  uid?: string
  /** Groups of the user. */
  groups?: string[]
  /** Further facts about the user. */
  extra?: Record<string, string[]>
}

/** The answer of an admission webhook. */
export interface AdmissionResponse {
  /** Repeats the uid of the question. */
  uid: string
  /** Whether the operation may go on. */
  allowed: boolean
  /** Why not. */
  status?: AdmissionStatus
  /** JSON patch of the object, as base64 of its JSON text. */
  patch?: Bytes
  /** Type of the patch. */
  patchType?: 'JSONPatch'
  /** Notes for the audit log. */
  auditAnnotations?: Record<string, string>
  /** Messages for the client. */
  warnings?: string[]
}

/** Why an operation may not go on: the part of `Status` that webhooks fill. */
export interface AdmissionStatus {
  /** HTTP status code. */
  code?: Int32
  /** Why, in a sentence. */
  message?: string
  /** Why, in one word. */
  reason?: string
  /** Why, field by field. */
  details?: AdmissionStatusDetails
}

/** Why, field by field. */
export interface AdmissionStatusDetails {
  /** Name of the object. */
  name?: string
  /** API group of the object. */
  group?: string
  /** Kind of the object. */
  kind?: string
  /** One cause for each field. */
  causes?: AdmissionStatusCause[]
}

/** Error of one field. */
export interface AdmissionStatusCause {
  /** Why, in one word: FieldValueInvalid. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
  /** Path of the field. */
  field?: string
}
