import { nodes } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { acceleratorLabel } from '#features/launcher/index.ts'
import { agentReportAnnotations } from '#features/node-health/index.ts'
import { names, imageHash } from '#features/vmi/index.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createOutage, type Outage } from '#runtime/clock/outage.ts'
import type { Host } from './host.ts'

/** Dependencies of the heartbeat. */
export interface HeartbeatOptions {
  readonly client: Pick<Client, 'patch'>
  readonly nodeName: string
  readonly host: Host
  /** Launcher image of the agent's own release, if it has one. */
  readonly launcherImage?: string
  /** Returns the number of guests whose QEMU answers. */
  readonly guests: () => Promise<number>
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds between heartbeats, and between retries. */
const intervalMs = 60_000
const retryMs = 1_000
/**
 * Milliseconds after the start during which heartbeats are frequent: a rollout waits for the canary
 * to find its guests.
 */
const startupMs = 60_000
const everyMsInYouth = 5_000
/** Milliseconds that the last write may take while the agent stops. */
const closeWithinMs = 2_000

/**
 * Labels and annotates the node: schedulable, capabilities, time of the last heartbeat. When the
 * agent stops, the node becomes unschedulable for guests: a placement may have moved the agent
 * away, and a guest would wait there for an agent that never comes. A killed agent is detected by
 * its missing heartbeat.
 */
export function createHeartbeat(options: HeartbeatOptions): Runnable {
  return {
    async run(signal) {
      // The kubelet may not have registered the node yet.
      const outage = createOutage(options)
      const bornMs = options.clock.now()
      while (!signal.aborted) {
        const isFine = await beat(options, outage)
        await options.clock
          .sleep(isFine ? (options.clock.now() - bornMs < startupMs ? everyMsInYouth : intervalMs) : retryMs, signal)
          .catch(() => {})
      }
      await close(options)
    },
  }
}

async function beat({ client, nodeName, host, launcherImage, guests, clock }: HeartbeatOptions, outage: Outage): Promise<boolean> {
  const release = launcherImage === undefined ? {} : { [names.releaseLabel]: imageHash(launcherImage) }
  const labels = { [names.schedulableLabel]: 'true', [acceleratorLabel]: host.accelerator, ...release, ...offers(host) }
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

async function close({ client, nodeName, log }: HeartbeatOptions): Promise<void> {
  const body = { metadata: { labels: { [names.schedulableLabel]: 'false' } } }
  try {
    await client.patch(nodes, { name: nodeName }, { type: 'merge', body }, { signal: AbortSignal.timeout(closeWithinMs) })
  } catch (error) {
    log.debug({ error, node: nodeName }, 'The node could not be marked unschedulable: the missing heartbeat will')
  }
}

function offers(host: Host): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const type of Object.keys(host.machineAliases)) labels[`machine-type.node.kubevirt.io/${type}`] = 'true'
  for (const model of host.cpuModels) if (/^[A-Za-z0-9][-\w.]*$/.test(model)) labels[`cpu-model.node.kubevirt.io/${model}`] = 'true'
  return labels
}
