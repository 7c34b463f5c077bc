import type { GuestStream } from '#features/guest-access/index.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** Counts the streams of guests that are open. */
export interface ConnectionMetrics {
  /** Counts a stream from now until the returned function is called. */
  opened(stream: GuestStream, namespace: string, vmi: string): () => void
}

/** Guests whose last connection is remembered; the one that was longest ago is forgotten. */
const mostRemembered = 10_000

/** Defines the metrics with KubeVirt's names. A guest without an open stream has no series. */
export function createConnectionMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, now: () => number): ConnectionMetrics {
  const open: Readonly<Record<GuestStream, Map<string, number>>> = {
    console: new Map(),
    vnc: new Map(),
    usbredir: new Map(),
    portforward: new Map(),
  }
  const lastSeconds = new Map<string, number>()
  const labels = ['namespace', 'vmi']
  const read = (values: ReadonlyMap<string, number>) => () =>
    [...values].map(([key, value]) => {
      const [namespace = '', vmi = ''] = key.split('/')
      return [{ namespace, vmi }, value] as const
    })
  metrics.gaugeFrom(
    { name: 'kubevirt_console_active_connections', help: 'Open connections to the serial console of a guest', labels },
    read(open.console),
  )
  metrics.gaugeFrom({ name: 'kubevirt_vnc_active_connections', help: 'Open connections to the display of a guest', labels }, read(open.vnc))
  metrics.gaugeFrom(
    { name: 'kubevirt_usbredir_active_connections', help: 'Open connections of USB devices to a guest', labels },
    read(open.usbredir),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_portforward_active_tunnels', help: 'Open tunnels to ports of a guest', labels },
    read(open.portforward),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_last_api_connection_timestamp_seconds',
      help: 'When a client was last connected to the console, the display, a USB redirector or a port of a guest',
      labels,
    },
    read(lastSeconds),
  )
  const touch = (key: string): void => {
    // An entry that is set anew is the last one of the map.
    lastSeconds.delete(key)
    lastSeconds.set(key, Math.floor(now() / 1000))
    if (lastSeconds.size > mostRemembered) lastSeconds.delete(lastSeconds.keys().next().value ?? '')
  }
  return {
    opened(stream, namespace, vmi) {
      const key = `${namespace}/${vmi}`
      const counts = open[stream]
      counts.set(key, (counts.get(key) ?? 0) + 1)
      touch(key)
      return () => {
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
        touch(key)
      }
    },
  }
}
