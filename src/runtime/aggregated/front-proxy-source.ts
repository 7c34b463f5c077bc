import { configMaps } from '#api/core/v1/resources.ts'
import { createInformer } from '../cache/informer.ts'
import type { ReflectorClient } from '../cache/reflector.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { noFrontProxy, parseFrontProxy, type FrontProxy } from './front-proxy.ts'

const namespace = 'kube-system'
const name = 'extension-apiserver-authentication'

/** What {@link createFrontProxySource} needs. */
export interface FrontProxySourceOptions {
  readonly client: ReflectorClient
  readonly clock: Clock
  readonly log: Logger
  /** Called when it becomes known whom to believe, and when that changes. */
  readonly onChange: (proxy: FrontProxy) => void
}

/** Follows what the cluster says about who may speak for others. */
export interface FrontProxySource {
  current(): FrontProxy
  /** Follows it until the signal. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when it has been read once. */
  synced(signal: AbortSignal): Promise<void>
}

/** Makes one. Until it is synced, and when the ConfigMap goes, nobody may. */
export function createFrontProxySource({ client, clock, log, onChange }: FrontProxySourceOptions): FrontProxySource {
  const informer = createInformer({
    client,
    resource: configMaps,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    clock,
    log,
  })
  let current = noFrontProxy
  informer.onEvent((event) => {
    current = event.type === 'deleted' ? noFrontProxy : parseFrontProxy(event.object.data)
    if (current.authority === undefined)
      log.warn({ namespace, name }, 'No front proxy can be trusted: the aggregated API refuses everybody')
    onChange(current)
  })
  return { current: () => current, run: (signal) => informer.run(signal), synced: (signal) => informer.synced(signal) }
}
