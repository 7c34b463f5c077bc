import type { KubeObject, ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import type { Tracking } from './track-update.ts'

/** An object without static types. */
export type Loose = KubeObject & { readonly [field: string]: unknown }

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { color: { type: 'string' }, count: { type: 'integer' } } },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
}
const draft: ResourceDraft = {
  group: 'example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  namespaced: true,
  custom: true,
  hasStatus: true,
  schema,
}

/** A kind with a manual clock. */
export function trackedKind(more: Partial<ResourceDraft> = {}): {
  readonly tracking: Tracking
  readonly clock: { nowMs: number }
  readonly target: (subresource?: string) => Target
} {
  const definition = defineResource({ ...draft, ...more })
  const clock = { nowMs: Date.parse('2026-11-21T10:00:00Z') }
  return {
    tracking: { registry: createResourceRegistry([definition]), now: () => clock.nowMs },
    clock,
    target: (subresource = '') => ({ definition, namespace: 'default', name: 'a', subresource }),
  }
}

/** A box. */
export function box(spec: object, managedFields?: readonly ManagedFieldsEntry[], annotations?: Record<string, string>): Loose {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Box',
    metadata: {
      name: 'a',
      ...(managedFields === undefined ? {} : { managedFields: [...managedFields] }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
  }
}

/** `manager operation` of each entry, in order. */
export function managersOf({ metadata }: KubeObject): string[] {
  return (metadata?.managedFields ?? []).map(({ manager = '', operation = '', subresource }) =>
    [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' '),
  )
}

/** Fields of a manager. */
export function fieldsOf({ metadata }: KubeObject, manager: string): unknown {
  return metadata?.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1
}
