import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { badRequest, conflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getVirtualMachine } from './expand-spec.ts'
import { parseOptions } from './parse-body.ts'
import { virtualMachineSubject } from './virtual-machine-subject.ts'

/** `PUT virtualmachines/<name>/migrate`: what `virtctl migrate` asks for. Admission says whether the guest can move. */
export function migrate(client: Pick<Client, 'get' | 'create'>): AggregatedHandler {
  return async ({ namespace, name, body, signal }) => {
    const { addedNodeSelector, dryRun } = parseOptions(body)
    if (!isSelector(addedNodeSelector))
      throw badRequest('Can not unmarshal Request body to struct, error: addedNodeSelector must be labels')
    await getVirtualMachine(client, { namespace, name }, signal)
    if (!(await runs(client, namespace, name))) throw conflict(virtualMachineSubject, name, 'VM is not running')
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: 'kubevirt-migrate-vm-', namespace },
      spec: { vmiName: name, ...(addedNodeSelector === undefined ? {} : { addedNodeSelector }) },
    }
    await client.create(virtualMachineInstanceMigrations, migration, { dryRun: Array.isArray(dryRun) && dryRun.length > 0 })
    return { code: 202 }
  }
}

async function runs(client: Pick<Client, 'get'>, namespace: string, name: string): Promise<boolean> {
  try {
    return (await client.get(virtualMachineInstances, { namespace, name })).status?.phase === 'Running'
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function isSelector(value: unknown): value is Record<string, string> | undefined {
  if (value === undefined) return true
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string')
}
