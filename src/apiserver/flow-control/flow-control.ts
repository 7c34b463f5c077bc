import type { FlowSchema, PriorityLevelConfiguration } from '#api/flowcontrol/v1/flow-schema.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { type CompiledSchema, compileSchemas } from './classify.ts'

/** Storage keys of the kinds of flow control. */
export const flowControlKeys = {
  schemas: 'flowcontrol.apiserver.k8s.io/flowschemas',
  levels: 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
} as const

/** FlowSchema and priority level of a request. */
export interface Flow {
  readonly schema: string
  readonly schemaUid: string
  readonly level: string
  readonly levelUid: string
}

/** Part of the concurrent requests that a priority level has by its share. */
export interface LevelSeats {
  readonly level: string
  readonly seats: number
}

/**
 * Finds the FlowSchema of each request. Requests are not queued by it: `front/in-flight-limiter.ts`
 * has one limit for all levels.
 */
export interface FlowControl extends Disposable {
  /** Undefined only before the mandatory objects exist. */
  classify(info: RequestInfo, user: UserInfo): Flow | undefined
  /** Divides the concurrent requests of the server among the levels. */
  seats(total: number): readonly LevelSeats[]
}

interface Compiled {
  readonly schemas: readonly CompiledSchema[]
  /** UIDs by name. */
  readonly levels: ReadonlyMap<string, string>
}

/** Follows the stored FlowSchemas and priority levels. */
export function createFlowControl(store: ObjectStore): FlowControl {
  let compiled: Compiled | undefined
  const forget = (): void => (compiled = undefined)
  const subscriptions = Object.values(flowControlKeys).map((key) => store.subscribe(key, undefined, forget))
  const levelsNow = (): PriorityLevelConfiguration[] =>
    store.list(flowControlKeys.levels).map(({ object }) => object as PriorityLevelConfiguration)

  const compile = (): Compiled => ({
    schemas: compileSchemas(store.list(flowControlKeys.schemas).map(({ object }) => object as FlowSchema)),
    levels: new Map(levelsNow().map(({ metadata }) => [metadata.name ?? '', metadata.uid ?? ''])),
  })

  return {
    classify(info, user) {
      compiled ??= compile()
      const { schemas, levels } = compiled
      for (const { name, uid, level, matches } of schemas) {
        const levelUid = levels.get(level)
        // A FlowSchema without its level is dangling, and matches nothing.
        if (levelUid !== undefined && matches(info, user)) return { schema: name, schemaUid: uid, level, levelUid }
      }
      return undefined
    },
    seats: (total) => seatsOf(levelsNow(), total),
    [Symbol.dispose]: () => subscriptions.forEach((subscription) => subscription[Symbol.dispose]()),
  }
}

/** Pure. */
export function seatsOf(levels: readonly PriorityLevelConfiguration[], total: number): readonly LevelSeats[] {
  const shares = ({ spec }: PriorityLevelConfiguration): number =>
    spec?.type === 'Exempt' ? (spec.exempt?.nominalConcurrencyShares ?? 0) : (spec?.limited?.nominalConcurrencyShares ?? 30)
  const sum = levels.reduce((before, level) => before + shares(level), 0)
  return levels.map((level) => ({ level: level.metadata.name ?? '', seats: sum === 0 ? 0 : Math.ceil((total * shares(level)) / sum) }))
}
