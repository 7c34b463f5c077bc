import { getOwn, setOwnInto } from '#apimachinery/own-property.ts'
import { childPath } from '../leaves.ts'
import type { InstancetypePart } from './draft.ts'

/**
 * Adds the annotations. Only a different value of the VM is a conflict, and its path has no base.
 */
export const applyAnnotationsInto: InstancetypePart = ({ annotations }, instancetype) => {
  const wanted = Object.entries(instancetype.annotations ?? {})
  const conflicts = wanted.filter(([key, value]) => ![undefined, value].includes(getOwn(annotations, key) as string | undefined))
  if (conflicts.length > 0) return conflicts.map(([key]) => ({ field: `annotations.${key}`, path: childPath('metadata.annotations', key) }))
  for (const [key, value] of wanted) setOwnInto(annotations, key, value)
  return []
}
