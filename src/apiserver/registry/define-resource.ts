import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ageColumn, nameColumn } from './columns.ts'
import type { ResourceDefinition } from './resource-definition.ts'

/** All verbs that a stored resource has. */
const storedVerbs: ResourceDefinition['verbs'] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Accepts every field. */
export const openSchema: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const noFields: ReadonlyMap<string, (object: KubeObject) => string> = new Map()

/** Required fields of a definition; the others have the defaults of most built-in kinds. */
export type ResourceDraft = Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'> & Partial<ResourceDefinition>

/**
 * Completes a definition: singular, list kind, all verbs, storage in its own version, columns NAME
 * and AGE, unconditional updates.
 */
export function defineResource(draft: ResourceDraft): ResourceDefinition {
  return {
    listKind: `${draft.kind}List`,
    singular: draft.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: storedVerbs,
    storageKey: `${draft.group}/${draft.plural}`,
    storageApiVersion: apiVersionOf(draft),
    schema: openSchema,
    hasStatus: false,
    hasGeneration: false,
    unconditionalUpdate: true,
    deleteReturnsObject: false,
    custom: false,
    columns: [nameColumn, ageColumn],
    selectableFields: noFields,
    strategy: {},
    ...draft,
  }
}
