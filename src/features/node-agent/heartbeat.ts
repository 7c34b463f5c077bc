import { nodes } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { names } from '#features/vmi/index.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Host } from './host.ts'

/** What the heartbeat needs. */
export interface HeartbeatOptions {
  readonly client: Pick<Client, 'patch'>
  readonly nodeName: string
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds between two beats; between two tries when one fails. */
const everyMs = 60_000
const retryMs = 1_000

/** Says on the node that guests may start there, what it offers, and when that was last true. Says that they may not when it is told to stop. */
export function createHeartbeat(options: HeartbeatOptions): Runnable {
  return {
    async run(signal) {
      while (!signal.aborted) {
        const isFine = await beat(options, true)
        await options.clock.sleep(isFine ? everyMs : retryMs, signal).catch(() => {})
      }
    },
  }
}

async function beat({ client, nodeName, host, clock, log }: HeartbeatOptions, schedulable: boolean): Promise<boolean> {
  const labels = { [names.schedulableLabel]: String(schedulable), ...offers(host) }
  const annotations = { 'kubevirt.io/heartbeat': JSON.stringify(timestamp(clock.now())) }
  try {
    await client.patch(nodes, { name: nodeName }, { type: 'merge', body: { metadata: { labels, annotations } } })
    return true
  } catch (error) {
    log.warn({ error, node: nodeName }, 'The node could not be marked: trying again')
    return false
  }
}

function offers(host: Host): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const type of Object.keys(host.machineAliases)) labels[`machine-type.node.kubevirt.io/${type}`] = 'true'
  for (const model of host.cpuModels) if (/^[A-Za-z0-9][-\w.]*$/.test(model)) labels[`cpu-model.node.kubevirt.io/${model}`] = 'true'
  return labels
}
