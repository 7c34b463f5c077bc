import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { conflict } from '#apimachinery/errors.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import { invalidBody, parseOptions, readDryRun } from './parse-body.ts'
import type { FindGuest } from './port-forward.ts'
import { getMachine, virtualMachineSubject } from './virtual-machine-subject.ts'

/**
 * Handles `PUT virtualmachines/<name>/migrate`, as in `virtctl migrate`. Admission checks whether
 * the guest can be migrated.
 */
export function migrate(client: Pick<Client, 'get' | 'create'>): AggregatedHandler {
  return async ({ namespace, name, body, signal }) => {
    const sent = parseOptions(body)
    const { addedNodeSelector } = sent
    const dryRun = readDryRun(sent)
    if (!isSelector(addedNodeSelector)) throw invalidBody('addedNodeSelector must be labels')
    await getMachine(client, namespace, name, signal)
    const vmi = await getGuest(client, namespace, name)
    if (vmi.status?.phase !== 'Running') throw conflict(virtualMachineSubject, name, 'VM is not running')
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: 'kubevirt-migrate-vm-', namespace },
      spec: { vmiName: name, ...(addedNodeSelector === undefined ? {} : { addedNodeSelector }) },
    }
    await client.create(virtualMachineInstanceMigrations, migration, { dryRun })
    return { code: 202 }
  }
}

/**
 * Handles `PUT virtualmachines|virtualmachineinstances/<name>/evacuate/cancel`: clears the
 * evacuation mark. With a node name, only if the guest is marked to leave that node; KubeVirt
 * requires the name.
 */
export function cancelEvacuation(client: Pick<Client, 'get' | 'patch'>, findGuest: FindGuest): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    const sent = parseOptions(body)
    const { evacuationNodeName: node } = sent
    const dryRun = readDryRun(sent)
    if (node !== undefined && node !== null && typeof node !== 'string') throw invalidBody('evacuationNodeName must be the name of a node')
    const vmi = await findGuest(client, namespace, name)
    const marked = vmi.status?.evacuationNodeName ?? ''
    if (marked === '') return { code: 200 }
    if (typeof node === 'string' && node !== '' && node !== marked)
      throw conflict(guestSubject, name, `VMI is not being evacuated from node ${node}`)
    await patchIfUnchanged(client, virtualMachineInstances, vmi, { status: { evacuationNodeName: null } }, { dryRun })
    return { code: 200 }
  }
}

function isSelector(value: unknown): value is Record<string, string> | undefined {
  if (value === undefined) return true
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string')
}
