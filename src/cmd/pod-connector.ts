import { join } from 'node:path'
import type { EmbeddedApiOptions } from '#apiserver/embedded-api.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createDialerChoice } from '#runtime/network/network-dialer.ts'

/**
 * Returns what connects the API server to pods, by the folder and the first two numbers of the pod
 * network: `/run/…,10.115`. Empty without one.
 */
export function podConnectorOf(podNetwork: string): Pick<EmbeddedApiOptions, 'connectToPod'> {
  if (podNetwork === '') return {}
  const [directory = '', prefix = ''] = podNetwork.split(',')
  const dialerFor = createDialerChoice({ namespace: join(directory, 'namespace'), prefix, clock: systemClock })
  return { connectToPod: (host, port, signal) => dialerFor(host).connect(host, port, signal) }
}
