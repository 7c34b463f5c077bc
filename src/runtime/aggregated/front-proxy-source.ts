import { configMaps } from '#api/core/v1/resources.ts'
import { createInformer } from '../cache/informer.ts'
import type { ReflectorClient } from '../cache/reflector.ts'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from '../process/log.ts'
import { noFrontProxy, parseFrontProxy, type FrontProxy } from './front-proxy.ts'

const namespace = 'kube-system'
const name = 'extension-apiserver-authentication'

/** Dependencies of {@link createFrontProxySource}. */
export interface FrontProxySourceOptions {
  readonly client: ReflectorClient
  readonly clock: Clock
  readonly log: Logger
  /** Called when the trusted authority becomes known or changes. */
  readonly onChange: (proxy: FrontProxy) => void
}

/** Watches the front-proxy configuration of the cluster. */
export interface FrontProxySource {
  current(): FrontProxy
  /** Follows it until the signal. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when it has been read once. */
  synced(signal: AbortSignal): Promise<void>
}

/** Creates a source. Until it is synced, and when the ConfigMap is deleted, no proxy is trusted. */
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
