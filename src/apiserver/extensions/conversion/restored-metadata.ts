import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { validateAnnotations, validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { ConversionFailure } from './conversion-failure.ts'

/**
 * Restores the metadata except labels and annotations, which conversion may change. @throws
 * ConversionFailure for other changes
 */
export function restoredMetadata(original: ObjectMeta, converted: unknown, place: string): ObjectMeta {
  const refuse = (why: string): ConversionFailure => new ConversionFailure(`invalid ${place}: ${why}`)
  if (converted === undefined) throw refuse('missing metadata in converted object')
  if (!isJsonObject(converted)) throw refuse(`invalid metadata of type ${typeName(converted)} in converted object`)
  const { labels: _labels, annotations: _annotations, ...kept } = original
  const metadata: ObjectMeta = kept
  for (const field of ['labels', 'annotations'] as const) {
    const map = converted[field]
    if (map === undefined || map === null) continue
    if (!isJsonObject(map)) throw refuse(`invalid metadata.${field} of type ${typeName(map)} in converted object`)
    const stray = Object.entries(map).find(([, value]) => typeof value !== 'string')
    if (stray !== undefined) {
      throw refuse(`metadata.${field}[${stray[0]}] must be a string, but is ${typeName(stray[1])} in converted object`)
    }
    metadata[field] = map as Record<string, string>
  }
  const faults = [
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...(metadata.annotations === original.annotations ? [] : validateAnnotations(metadata.annotations, 'metadata.annotations')),
  ]
  const [fault] = faults
  if (fault !== undefined) throw refuse(`${fault.field}: ${fault.message}`)
  return metadata
}

/** Type of a value in kube-apiserver's words. */
function typeName(value: unknown): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value
}
