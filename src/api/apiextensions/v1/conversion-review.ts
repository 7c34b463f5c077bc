import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Request to a conversion webhook and its response. Never stored. */
export interface ConversionReview {
  /** `apiextensions.k8s.io/v1` */
  apiVersion: string
  /** `ConversionReview` */
  kind: string
  /** The question. */
  request?: ConversionRequest
  /** The answer. */
  response?: ConversionResponse
}

/** The question to a conversion webhook. */
export interface ConversionRequest {
  /** Identifies the question; the answer repeats it. */
  uid: string
  /** The version that the objects are wanted in: `stable.example.com/v1`. */
  desiredAPIVersion: string
  /** The objects, in whatever versions they are. */
  objects: KubeObject[]
}

/** The answer of a conversion webhook. */
export interface ConversionResponse {
  /** Of the question. */
  uid: string
  /** The objects in the wanted version, in the order of the question. */
  convertedObjects?: KubeObject[]
  /** Whether all of them could be converted. */
  result: ConversionResult
}

/** Whether a conversion worked. */
export interface ConversionResult {
  /** `Success`, or anything else. */
  status?: string
  /** Why it did not. */
  message?: string
}
