import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type FieldRequirement, parseFieldSelector } from '#apimachinery/selectors/field-selector.ts'
import { parseLabelSelector, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { ListQuery, Selectors, Target } from '#apiserver/request/api-request.ts'

/** Objects that a list or watch selects. */
export interface Selection extends Selectors {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined
  /** Set when the selectors can match one name only. */
  readonly name: string | undefined
}

type Match = (object: KubeObject) => boolean

/**
 * Parses and checks the selectors of a list or watch. A target with a name is treated as a selector
 * on `metadata.name`. @throws StatusError 400
 */
export function parseSelection(target: Target, query: Pick<ListQuery, 'labelSelector' | 'fieldSelector'>): Selection {
  const fields = parseFields(query.fieldSelector)
  const labels = parseLabels(query.labelSelector)
  const name = exactName(fields, target.name)
  const matches = [...(labels === undefined ? [] : [labels]), ...fields.map((field) => fieldMatch(target.definition, field))]
  if (target.name !== '') matches.push((object) => object.metadata?.name === target.name)
  const [only] = matches
  return {
    namespace: target.namespace,
    name,
    everything: only === undefined,
    matches: only === undefined ? () => true : matches.length === 1 ? only : (object) => matches.every((match) => match(object)),
  }
}

function parseFields(text: string): readonly FieldRequirement[] {
  return text === '' ? [] : parsed(() => parseFieldSelector(text))
}

function parseLabels(text: string): Match | undefined {
  if (text.trim() === '') return undefined
  const selector = parsed(() => parseLabelSelector(text))
  return (object) => selector.matches(object.metadata?.labels ?? noLabels)
}

const noLabels: Readonly<Record<string, string>> = {}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error
  }
}

function exactName(fields: readonly FieldRequirement[], targetName: string): string | undefined {
  const names = fields.filter((field) => field.field === 'metadata.name' && field.operator === '=').map((field) => field.value)
  if (targetName === '') return names[0]
  if (names.some((name) => name !== targetName)) {
    throw badRequest(`field metadata.name: "${names[0]}" does not match the name "${targetName}" on the URL`)
  }
  return targetName
}

function fieldMatch(definition: ResourceDefinition, { field, operator, value }: FieldRequirement): Match {
  const read = fieldReader(definition, field)
  return operator === '=' ? (object) => read(object) === value : (object) => read(object) !== value
}

function fieldReader(definition: ResourceDefinition, field: string): (object: KubeObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata?.name ?? ''
  if (field === 'metadata.namespace') return (object) => object.metadata?.namespace ?? ''
  const read = definition.selectableFields.get(field)
  if (read === undefined) throw badRequest(unsupportedField(definition, field))
  return read
}

/** Kinds without fields of their own have Kubernetes' default message. */
function unsupportedField({ custom, selectableFields }: ResourceDefinition, field: string): string {
  return custom || selectableFields.size > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}
