import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { GroupVersionKind, GroupVersionResource } from '#api/meta/v1/group-version-kind.ts'
import type { Bytes, Int32 } from '#api/scalars.ts'

/** Request to an admission webhook and its response. Never stored. */
export interface AdmissionReview {
  /** `admission.k8s.io/v1` */
  apiVersion: string
  /** `AdmissionReview` */
  kind: string
  /** Request to the webhook. */
  request?: AdmissionRequest
  /** Response of the webhook. */
  response?: AdmissionResponse
}

/** Request to an admission webhook. */
export interface AdmissionRequest {
  /** ID of the request. The response must contain the same ID. */
  uid: string
  /** Kind of the object as sent to the webhook. */
  kind: GroupVersionKind
  /** Resource as sent to the webhook. */
  resource: GroupVersionResource
  /** Subresource as sent to the webhook, if any. */
  subResource?: string
  /** Kind of the original request, before the conversion to a version that the rules name. */
  requestKind?: GroupVersionKind
  /** Resource of the original request, before the conversion to a version that the rules name. */
  requestResource?: GroupVersionResource
  /** Subresource of the original request. */
  requestSubResource?: string
  /** Name of the object; empty when the server generates the name. */
  name?: string
  /** Namespace of the object. */
  namespace?: string
  /** Operation of the request. */
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  /** User that makes the request. */
  userInfo: UserInfo
  /** New state of the object; null for deletions. */
  object?: KubeObject | null
  /** Current state of the object; null for creations. */
  oldObject?: KubeObject | null
  /** True if the object will not be stored. */
  dryRun?: boolean
  /** Options of the operation. */
  options?: KubeObject | null
}

/** User that makes the request. */
export interface UserInfo {
  /** Name of the user. */
  username?: string
  /** UID of the user. */
  uid?: string
  /** Groups of the user. */
  groups?: string[]
  /** Additional attributes of the user. */
  extra?: Record<string, string[]>
}

/** Response of an admission webhook. */
export interface AdmissionResponse {
  /** ID of the request. */
  uid: string
  /** True if the operation is allowed. */
  allowed: boolean
  /** Reason of the rejection. */
  status?: AdmissionStatus
  /** JSON patch of the object, as base64 of its JSON text. */
  patch?: Bytes
  /** Type of the patch. */
  patchType?: 'JSONPatch'
  /** Annotations for the audit log. */
  auditAnnotations?: Record<string, string>
  /** Warnings for the client. */
  warnings?: string[]
}

/** Reason of a rejection: the part of `Status` that webhooks set. */
export interface AdmissionStatus {
  /** HTTP status code. */
  code?: Int32
  /** Human-readable explanation of the rejection. */
  message?: string
  /** Reason of the rejection, as one CamelCase word. */
  reason?: string
  /** Details of the rejection by field. */
  details?: AdmissionStatusDetails
}

/** Details of a rejection by field. */
export interface AdmissionStatusDetails {
  /** Name of the object. */
  name?: string
  /** API group of the object. */
  group?: string
  /** Kind of the object. */
  kind?: string
  /** Causes of the rejection, one for each field. */
  causes?: AdmissionStatusCause[]
}

/** Error of one field. */
export interface AdmissionStatusCause {
  /** Reason of the error, as one CamelCase word: FieldValueInvalid. */
  reason?: string
  /** Human-readable explanation of the error. */
  message?: string
  /** Path of the field. */
  field?: string
}
