import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { decodeFieldsV1, FieldsV1Error } from '#apimachinery/fields/fields-v1.ts'
import { pathsOf } from '#apimachinery/fields/field-set.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'

/** Name of the field manager, and of the service account, that applies HyperConverged. */
const operator = 'hyperconverged-operator'

/** Number of fields that are named; the rest is counted. */
const mostFields = 5

/**
 * Warns of changes of fields that the operator of HyperConverged applies: it reverts them. Pure.
 * `username`: user of the request.
 */
export function warnOfRevertedFields(kubevirt: KubeVirt, old: KubeVirt | undefined, username: string): readonly string[] {
  if (old === undefined || username.endsWith(`:${operator}`)) return []
  const fields = appliedFields(old)
    .filter((path) => !deepEqual(valueAt(old, path), valueAt(kubevirt, path)))
    .map((path) => path.join('.'))
  if (fields.length === 0) return []
  const more = fields.length > mostFields ? ` and ${fields.length - mostFields} more` : ''
  return [
    `${fields.slice(0, mostFields).join(', ')}${more}: HyperConverged configures this object and reverts the change. ` +
      `Edit "kubectl edit hco -n ${kubevirt.metadata.namespace}" instead; "steadyvm why hco" names the field for each value`,
  ]
}

/** Fields of the spec that the operator applies, without those that contain others. */
function appliedFields({ metadata }: KubeVirt): readonly (readonly string[])[] {
  const entry = (metadata.managedFields ?? []).find(
    ({ manager, operation, subresource = '' }) => manager === operator && operation === 'Apply' && subresource === '',
  )
  const paths = fieldPaths(entry?.fieldsV1).filter(([first]) => first === 'spec')
  const texts = new Set(paths.map((path) => path.join('\n')))
  return [...texts].filter((text) => ![...texts].some((other) => other.startsWith(`${text}\n`))).map((text) => text.split('\n'))
}

/** Paths of fields. What is inside of a list counts as the list. */
function fieldPaths(fieldsV1: Readonly<Record<string, unknown>> = {}): readonly (readonly string[])[] {
  try {
    return pathsOf(decodeFieldsV1(fieldsV1)).map((path) => {
      const item = path.findIndex((element) => !element.startsWith('f:'))
      return (item === -1 ? path : path.slice(0, item)).map((element) => element.slice(2))
    })
  } catch (error) {
    if (error instanceof FieldsV1Error) return []
    throw error
  }
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), object)
}
