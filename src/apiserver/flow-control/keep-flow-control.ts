import type { FlowControlCondition, FlowSchema, PriorityLevelConfiguration } from '#api/flowcontrol/v1/flow-schema.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { runAfterChanges } from '#apiserver/storage/run-after-changes.ts'
import { flowControlKeys } from './flow-control.ts'
import { mandatoryNames, suggestedLevels, suggestedSchemas } from './suggested-objects.ts'

/** Options of {@link keepFlowControl}. */
export interface KeepFlowControlOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec'
const producer = internalContext('system:apiserver', 'api-priority-and-fairness-config-producer-v1')
const consumer = internalContext('system:apiserver', 'api-priority-and-fairness-config-consumer-v1')

/**
 * Creates the mandatory and suggested objects, restores those that are deleted or, unless their
 * annotation forbids it, changed, and reports FlowSchemas whose priority level is missing.
 */
export function keepFlowControl(options: KeepFlowControlOptions): Disposable {
  const { store, registry, verbs, now, onError } = options

  const list = <T extends KubeObject>(key: string): ReadonlyMap<string, T> =>
    new Map(store.list(key).map(({ object }) => [object.metadata?.name ?? '', object as T]))

  const restore = async (
    definition: ResourceDefinition,
    wanted: FlowSchema | PriorityLevelConfiguration,
    found: KubeObject | undefined,
  ) => {
    const { name = '' } = wanted.metadata
    const place = { definition, namespace: '', name: '', subresource: '' }
    if (found === undefined) {
      const object = { ...wanted, metadata: { name, annotations: { [autoUpdate]: 'true' } } }
      await verbs.create(place, { object, duplicates: [] }, internalMutation, producer)
    } else if (isOurs(found, name) && !deepEqual((found as FlowSchema).spec, wanted.spec)) {
      const { uid, resourceVersion } = found.metadata ?? {}
      const operations = [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/spec', value: wanted.spec },
      ] as const
      await verbs.patch({ ...place, name }, { type: 'json', operations }, internalMutation, producer)
    }
  }

  const report = async (definition: ResourceDefinition, schema: FlowSchema, levels: ReadonlySet<string>): Promise<void> => {
    const { name = '', uid } = schema.metadata
    const conditions = withDangling(schema, levels, rfc3339(now()))
    if (conditions === undefined) return
    const target = { definition, namespace: '', name, subresource: 'status' }
    await verbs.patch(target, { type: 'merge', body: { metadata: { uid }, status: { conditions } } }, internalMutation, consumer)
  }

  const pass = async (): Promise<void> => {
    const [schemas, levels] = ['flowschemas', 'prioritylevelconfigurations'].map((plural) =>
      registry.find('flowcontrol.apiserver.k8s.io', 'v1', plural),
    )
    if (schemas === undefined || levels === undefined) return
    const foundLevels = list<PriorityLevelConfiguration>(flowControlKeys.levels)
    const foundSchemas = list<FlowSchema>(flowControlKeys.schemas)
    // Together, so that they share commits.
    await settle([
      ...suggestedLevels.map((level) => restore(levels, level, foundLevels.get(level.metadata.name ?? ''))),
      ...suggestedSchemas.map((schema) => restore(schemas, schema, foundSchemas.get(schema.metadata.name ?? ''))),
    ])
    const names = new Set(list(flowControlKeys.levels).keys())
    await settle([...list<FlowSchema>(flowControlKeys.schemas).values()].map((schema) => report(schemas, schema, names)))
  }
  return runAfterChanges({ store, keys: Object.values(flowControlKeys), pass, onError })
}

/** Reports whether the spec of an object is the server's to keep. */
function isOurs({ metadata }: KubeObject, name: string): boolean {
  const choice = metadata?.annotations?.[autoUpdate]
  if (mandatoryNames.has(name)) return true
  return choice === undefined ? metadata?.generation === 1 : choice === 'true'
}

/** Returns the conditions of a FlowSchema with the current Dangling; undefined for no change. */
function withDangling({ spec, status }: FlowSchema, levels: ReadonlySet<string>, now: string): FlowControlCondition[] | undefined {
  const level = spec?.priorityLevelConfiguration?.name ?? ''
  const found = levels.has(level)
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`
  const wanted = {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: found ? `${reference} and it exists` : `${reference} but there is no such object`,
  }
  const before = status?.conditions ?? []
  const old = before.find(({ type }) => type === wanted.type)
  if (old?.status === wanted.status && old.message === wanted.message) return undefined
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now
  return [...before.filter(({ type }) => type !== wanted.type), { ...wanted, lastTransitionTime }]
}

/** Rejects with the first error that is not a concurrent write, which triggers the next pass. */
async function settle(writes: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(writes)
  const isRace = (error: unknown): boolean => isConflict(error) || isNotFound(error) || isAlreadyExists(error)
  const failed = results.find((result) => result.status === 'rejected' && !isRace(result.reason))
  if (failed?.status === 'rejected') throw failed.reason
}
