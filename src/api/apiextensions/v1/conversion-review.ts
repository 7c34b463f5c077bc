import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Request to a conversion webhook and its response. Never stored. */
export interface ConversionReview {
  /** `apiextensions.k8s.io/v1` */
  apiVersion: string
  /** `ConversionReview` */
  kind: string
  /** Request to the webhook. */
  request?: ConversionRequest
  /** Response of the webhook. */
  response?: ConversionResponse
}

/** Request to a conversion webhook. */
export interface ConversionRequest {
  /** ID of the request. The response must contain the same ID. */
  uid: string
  /** API version to convert the objects to: `stable.example.com/v1`. */
  desiredAPIVersion: string
  /** Objects to convert. The objects can have different versions. */
  objects: KubeObject[]
}

/** Response of a conversion webhook. */
export interface ConversionResponse {
  /** ID of the request. */
  uid: string
  /** Objects in the desired version, in the order of the request. */
  convertedObjects?: KubeObject[]
  /** Result of the conversion of all objects. */
  result: ConversionResult
}

/** Result of a conversion. */
export interface ConversionResult {
  /** `Success`, or any other value for a failure. */
  status?: string
  /** Reason of the failure. */
  message?: string
}
