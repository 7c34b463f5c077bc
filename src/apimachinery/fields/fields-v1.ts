import { isJsonObject } from '../own-property.ts'
import { type FieldNode, type FieldSet, leaf, noFields, nodeOf, sortedElements } from './field-set.ts'
import { compareElements, parseElement, type PathElement, PathElementError } from './path-element.ts'

/** A field set as `managedFields` carries it. */
export type FieldsV1 = Readonly<Record<string, unknown>>

/** FieldsV1 is malformed. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error'
}

const self = '.'

interface Decoded {
  readonly below: FieldSet
  /** Reports whether the node itself is in the set: it contains `.`, or nothing at all. */
  readonly isMember: boolean
}

const emptyNode: Decoded = { below: noFields, isMember: true }

/** State of a read: whether the text equals its canonical form. */
interface Reading {
  canonical: boolean
}

function decodeNode(value: unknown, at: string, reading: Reading): Decoded {
  if (!isJsonObject(value)) throw new FieldsV1Error(`${at} must be an object`)
  const below = new Map<PathElement, FieldNode>()
  let isMember = false
  let previous: PathElement | undefined
  for (const key of Object.keys(value)) {
    if (key === self) {
      isMember = true
      continue
    }
    const element = parseElement(key)
    if (element !== key || (previous !== undefined && compareElements(previous, element) >= 0)) reading.canonical = false
    if (element === undefined) continue
    previous = element
    const node = decodeNode(value[key], key, reading)
    const decoded = nodeOf(node.isMember, node.below)
    if (decoded !== undefined) below.set(element, decoded)
  }
  return below.size === 0 ? emptyNode : { below, isMember }
}

/**
 * Decoded sets by stored object: objects are immutable, and every write reads the set until it is
 * replaced.
 */
const decodedSets = new WeakMap<FieldsV1, FieldSet>()
/** The reverse cache, for sets that a write leaves unchanged. */
const encodedSets = new WeakMap<FieldSet, FieldsV1>()

/** Reads a set. Steps of unknown kinds are left out. @throws FieldsV1Error when it is malformed */
export function decodeFieldsV1(fields: FieldsV1): FieldSet {
  const known = decodedSets.get(fields)
  if (known !== undefined) return known
  try {
    const reading: Reading = { canonical: true }
    const { below } = decodeNode(fields, 'fieldsV1', reading)
    decodedSets.set(fields, below)
    if (reading.canonical) encodedSets.set(below, fields)
    return below
  } catch (error) {
    throw error instanceof PathElementError ? new FieldsV1Error(error.message, { cause: error }) : error
  }
}

const nothing: FieldsV1 = Object.freeze({})

function encodeLevel(set: FieldSet, includeSelf: boolean): FieldsV1 {
  const fields: Record<string, unknown> = {}
  if (includeSelf) fields[self] = nothing
  for (const element of sortedElements(set)) {
    const node = set.get(element) ?? leaf
    fields[element] = node.below.size === 0 ? nothing : encodeLevel(node.below, node.owned)
  }
  return fields
}

/** Writes a set, steps in their order: the same set gives the same text. */
export function encodeFieldsV1(set: FieldSet): FieldsV1 {
  const known = encodedSets.get(set)
  if (known !== undefined) return known
  const fields = encodeLevel(set, false)
  decodedSets.set(fields, set)
  encodedSets.set(set, fields)
  return fields
}
