import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { enterPhase, names, podsByVmi } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decide } from './decide.ts'

/** Dependencies of the node health reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  readonly nodes: Pick<Lister<Node>, 'get'>
  /** Returns the VMIs of a node. */
  readonly vmisOf: (nodeName: string) => readonly VirtualMachineInstance[]
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
}

const unresponsive = 'NodeUnresponsive'

/**
 * Marks nodes with a silent agent as unschedulable for guests, and fails guests there whose pod has
 * ended.
 */
export function createNodeHealthReconciler(shared: Ports): Reconciler {
  let watchedSinceMs: number | undefined
  /** Times at which nodes were first found missing. */
  const missingSince = new Map<string, number>()
  return async ({ name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    watchedSinceMs ??= ports.clock.now()
    const node = ports.nodes.get('', name)
    if (node !== undefined) missingSince.delete(name)
    else if (!missingSince.has(name)) missingSince.set(name, ports.clock.now())
    const guests = ports.vmisOf(name).map((vmi) => ({ vmi, pods: ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '') }))
    const nowMs = ports.clock.now()
    const { marksUnschedulable, lost, recheckAt } = decide(node, guests, {
      nowMs,
      watchedSinceMs: missingSince.get(name) ?? watchedSinceMs,
    })
    if (node === undefined && guests.length === 0) missingSince.delete(name)
    if (marksUnschedulable && node !== undefined) await ifStillSo(() => close(ports, node))
    for (const vmi of lost) await ifStillSo(() => fail(ports, vmi, name))
    return recheckAt === Infinity ? done : recheckIn(recheckAt - nowMs)
  }
}

/** Guarded by the resourceVersion: a returning agent writes the same label. */
async function close({ client, recorder }: Ports, node: Node): Promise<void> {
  await patchIfUnchanged(client, nodes, node, { metadata: { labels: { [names.schedulableLabel]: 'false' } } })
  const subject = { ...node, apiVersion: 'v1', kind: 'Node' }
  recorder.event(
    subject,
    'Warning',
    unresponsive,
    `The node agent of ${node.metadata.name ?? ''} has sent no heartbeat for five minutes: no guest is started there`,
  )
}

async function fail({ client, recorder, clock }: Ports, vmi: VirtualMachineInstance, nodeName: string): Promise<void> {
  const status = { ...enterPhase(vmi.status, 'Failed', timestamp(clock.now())), reason: unresponsive }
  await patchStatus(client, virtualMachineInstances, vmi, status)
  recorder.event(vmi, 'Warning', unresponsive, `The guest has ended with its pod, and the node agent of ${nodeName} sends no heartbeat`)
}

async function ifStillSo(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    // Changed meanwhile: the watch event requeues the node.
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}
