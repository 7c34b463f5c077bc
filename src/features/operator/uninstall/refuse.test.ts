import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { admitUninstall } from './refuse.ts'

const block = 'BlockUninstallIfWorkloadsExist'
const [vm, vmi, replicaSet] = ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancereplicasets']

/** A cluster with these objects; without any, the VMI replica set CRD is missing. */
function clientWith(...present: readonly (string | undefined)[]): Pick<Client, 'list'> {
  const list = async (resource: { readonly group: string; readonly plural: string }): Promise<unknown> => {
    if (present.includes(resource.plural)) return { items: [{}] }
    if (resource.plural === replicaSet) throw notFound(resource, '')
    return { items: [] }
  }
  return { list } as unknown as Pick<Client, 'list'>
}

suite('admitUninstall()', () => {
  const rows: readonly (readonly [string, string | undefined, string, readonly (string | undefined)[], string | undefined])[] = [
    ['allows it with guests by default', undefined, 'Deployed', [vm, vmi], undefined],
    ['allows it with guests under RemoveWorkloads', 'RemoveWorkloads', 'Deployed', [vm, vmi], undefined],
    ['allows it without guests', block, 'Deployed', [], undefined],
    ['allows it when the system was never installed', block, 'Deploying', [vm], undefined],
    ['refuses it for a VM', block, 'Deployed', [vm], 'Virtual Machines'],
    ['refuses it for a VMI', block, 'Deployed', [vmi], 'Virtual Machine Instances'],
    ['names VMIs first', block, 'Deployed', [vm, vmi], 'Virtual Machine Instances'],
    ['refuses it for a replica set', block, 'Deployed', [replicaSet], 'Virtual Machine Instance Replica Sets'],
  ]
  for (const [name, uninstallStrategy, phase, present, what] of rows) {
    test(name, async () => {
      const oldObject = { spec: uninstallStrategy === undefined ? {} : { uninstallStrategy }, status: { phase } }
      const answer = admitUninstall(clientWith(...present), { oldObject } as unknown as AdmissionRequest)
      if (what === undefined) return assert.deepEqual(await answer, { allowed: true })
      await assert.rejects(answer, {
        code: 400,
        message: `Rejecting the uninstall request, since there are still ${what} present. Either delete all KubeVirt related workloads or change the uninstall strategy before uninstalling KubeVirt.`,
      })
    })
  }
})
