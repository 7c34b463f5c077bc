import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { conflict, forbidden } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import { parseOptions, readDryRun } from './parse-body.ts'
import { virtualMachineSubject } from './virtual-machine-subject.ts'

type PauseClient = Pick<Client, 'get' | 'patch'>

/**
 * Handles `PUT virtualmachineinstances/<name>/pause`. The request is recorded in the status of the
 * VMI, from where the node agent carries it out: it survives restarts of both.
 */
export function pause(client: PauseClient): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    const dryRun = readDryRun(parseOptions(body))
    const vmi = await getRunning(client, namespace, name, 'VM is not running')
    const { livenessProbe } = vmi.spec
    if (livenessProbe !== undefined && livenessProbe.guestAgentPing === undefined)
      throw forbidden(guestSubject, name, 'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported')
    if (isPaused(vmi)) throw conflict(guestSubject, name, 'VMI is already paused')
    return request(client, vmi, true, dryRun)
  }
}

/** Handles `PUT virtualmachineinstances/<name>/unpause`. */
export function unpause(client: PauseClient): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    const dryRun = readDryRun(parseOptions(body))
    const vm = await found(client.get(virtualMachines, { namespace, name }))
    if (vm?.status?.snapshotInProgress !== undefined) throw conflict(virtualMachineSubject, name, 'VM snapshot is in progress')
    const vmi = await getRunning(client, namespace, name, 'VMI is not running')
    // A pause that the node agent has not carried out yet is taken back.
    if (!isPaused(vmi) && vmi.status?.steadyvm?.paused !== true) throw conflict(guestSubject, name, 'VMI is not paused')
    return request(client, vmi, false, dryRun)
  }
}

async function getRunning(client: PauseClient, namespace: string, name: string, refusal: string): Promise<VirtualMachineInstance> {
  const vmi = await getGuest(client, namespace, name)
  if (vmi.status?.phase !== 'Running') throw conflict(guestSubject, name, refusal)
  return vmi
}

function isPaused({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'Paused')
}

async function request(client: PauseClient, vmi: VirtualMachineInstance, paused: boolean, dryRun: boolean): Promise<{ code: number }> {
  await patchIfUnchanged(client, virtualMachineInstances, vmi, { status: { steadyvm: { paused } } }, { dryRun })
  return { code: 200 }
}
