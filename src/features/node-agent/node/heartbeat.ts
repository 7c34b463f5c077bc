import { nodes } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { agentReportAnnotations } from '#features/node-health/index.ts'
import { names, imageHash } from '#features/vmi/index.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createOutage, type Outage } from '#runtime/outage.ts'
import type { Host } from './host.ts'

/** What the heartbeat needs. */
export interface HeartbeatOptions {
  readonly client: Pick<Client, 'patch'>
  readonly nodeName: string
  readonly host: Host
  /** Image of the launcher of the agent's own release; absent: it has none. */
  readonly launcherImage?: string
  /** How many guests of this node answer. */
  readonly guests: () => Promise<number>
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds between two beats; between two tries when one fails. */
const everyMs = 60_000
const retryMs = 1_000
/**
 * Whoever replaces the agents of all nodes waits for the first one to have found its guests: for a
 * while (milliseconds) it beats more often.
 */
const youthMs = 60_000
const everyMsInYouth = 5_000

/** Says on the node that guests may start there, what it offers, and when that was last true. */
export function createHeartbeat(options: HeartbeatOptions): Runnable {
  return {
    async run(signal) {
      // The kubelet, which registers the node, may still be starting.
      const outage = createOutage(options)
      const bornMs = options.clock.now()
      while (!signal.aborted) {
        const isFine = await beat(options, outage)
        await options.clock
          .sleep(isFine ? (options.clock.now() - bornMs < youthMs ? everyMsInYouth : everyMs) : retryMs, signal)
          .catch(() => {})
      }
    },
  }
}

async function beat({ client, nodeName, host, launcherImage, guests, clock }: HeartbeatOptions, outage: Outage): Promise<boolean> {
  const release = launcherImage === undefined ? {} : { [names.releaseLabel]: imageHash(launcherImage) }
  const labels = { [names.schedulableLabel]: 'true', ...release, ...offers(host) }
  const word =
    launcherImage === undefined
      ? {}
      : {
          ...agentReportAnnotations({ release: imageHash(launcherImage), guests: await guests() }),
          [names.launcherImageAnnotation]: launcherImage,
        }
  const annotations = { 'kubevirt.io/heartbeat': JSON.stringify(timestamp(clock.now())), ...word }
  try {
    await client.patch(nodes, { name: nodeName }, { type: 'merge', body: { metadata: { labels, annotations } } })
    outage.ended()
    return true
  } catch (error) {
    outage.failed({ error, node: nodeName }, 'The node could not be marked: trying again')
    return false
  }
}

function offers(host: Host): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const type of Object.keys(host.machineAliases)) labels[`machine-type.node.kubevirt.io/${type}`] = 'true'
  for (const model of host.cpuModels) if (/^[A-Za-z0-9][-\w.]*$/.test(model)) labels[`cpu-model.node.kubevirt.io/${model}`] = 'true'
  return labels
}
