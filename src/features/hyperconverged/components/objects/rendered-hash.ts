import { createHash } from 'node:crypto'
import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Annotation of a component's object: hash of what the operator applied last. */
export const renderedAnnotation = 'steadyvm.io/rendered'

/** Returns a hash that is the same for equal objects, whatever the order of their keys. Pure. */
export function renderedHash(object: object): string {
  return createHash('sha256')
    .update(JSON.stringify(withSortedKeys(object)))
    .digest('hex')
    .slice(0, 16)
}

/**
 * Reports whether the operator has applied an object. Another one is not the operator's to delete.
 */
export function isRendered({ metadata }: KubeObject): boolean {
  return metadata?.annotations?.[renderedAnnotation] !== undefined
}
