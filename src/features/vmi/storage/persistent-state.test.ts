import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { DomainSpec } from '#api/kubevirt/v1/domain/domain.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { validateName } from '#apimachinery/names.ts'
import { startTestCluster } from '#features/cluster.fixture.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { launcherPodOf } from '../launcher/launcher-pod.ts'
import {
  ClaimTaken,
  ensurePersistentState,
  persistentStateClaim,
  persistentStateClaimName,
  wantsPersistentState,
} from './persistent-state.ts'

function vmi(domain: Partial<DomainSpec>, owned = true): VirtualMachineInstance {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }
  return {
    metadata: { name: 'web', namespace: 'team', uid: 'vmi-uid', ...(owned ? { ownerReferences: [owner] } : {}) },
    spec: { domain: { devices: {}, memory: { guest: '1Gi' }, ...domain } },
  }
}

function vmNamed(name: string): VirtualMachine {
  const template = { spec: { domain: { devices: {} } } }
  return { metadata: { name, namespace: 'default' }, spec: { runStrategy: 'Halted', template } }
}

suite('persistent state', () => {
  const rows: readonly (readonly [string, Partial<DomainSpec>, boolean])[] = [
    ['nothing', {}, false],
    ['UEFI without persistence', { firmware: { bootloader: { efi: {} } } }, false],
    ['persistent UEFI', { firmware: { bootloader: { efi: { persistent: true } } } }, true],
    ['a TPM without persistence', { devices: { tpm: {} } }, false],
    ['a persistent TPM', { devices: { tpm: { persistent: true } } }, true],
    ['a disabled TPM', { devices: { tpm: { persistent: true, enabled: false } } }, false],
  ]
  for (const [name, domain, expected] of rows) {
    test(`of ${name}: ${expected ? 'a claim in the pod' : 'none'}`, () => {
      assert.equal(wantsPersistentState(vmi(domain).spec), expected)
      const claims = (
        launcherPodOf(vmi(domain), { inContainer: false, image: 'launcher', config: defaultClusterConfig }).spec.volumes ?? []
      ).flatMap(({ persistentVolumeClaim }) => (persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName]))
      assert.deepEqual(claims, expected ? ['persistent-state-for-web'] : [])
    })
  }

  test('is owned by the VM, or by a VMI without one', () => {
    const owners = (owned: boolean): (string | undefined)[] =>
      (persistentStateClaim(vmi({}, owned)).metadata.ownerReferences ?? []).map(({ uid }) => uid)
    assert.deepEqual([owners(true), owners(false)], [['vm-uid'], ['vmi-uid']])
  })

  test('is created once, adopted when it has no owner, and refused when it has another', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const tpm = { devices: { tpm: { persistent: true } } }
    // The garbage collector deletes objects whose owners do not exist.
    const ownedBy = async (name: string): Promise<OwnerReference[]> => {
      const vm = await client.create(virtualMachines, vmNamed(name))
      return [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: vm.metadata.uid ?? '', controller: true }]
    }
    const [ownerReferences, others] = [await ownedBy('web'), await ownedBy('other')]
    const web = { ...vmi(tpm), metadata: { ...vmi(tpm).metadata, namespace: 'default', ownerReferences } }
    const expected = ownerReferences.map(({ uid }) => uid)
    const key = { namespace: 'default', name: 'persistent-state-for-web' }
    const owners = async (): Promise<(string | undefined)[]> =>
      ((await client.get(persistentVolumeClaims, key)).metadata.ownerReferences ?? []).map(({ uid }) => uid)
    for (const _ of ['made', 'found']) await ensurePersistentState({ client }, web)
    assert.deepEqual(await owners(), expected)
    const own = (references: unknown): Promise<unknown> =>
      client.patch(persistentVolumeClaims, key, { type: 'merge', body: { metadata: { ownerReferences: references } } })
    await own(null)
    await ensurePersistentState({ client }, web)
    assert.deepEqual(await owners(), expected)
    await own(others)
    await assert.rejects(ensurePersistentState({ client }, web), ClaimTaken)
    await own(null)
    await client.patch(persistentVolumeClaims, key, { type: 'merge', body: { metadata: { labels: null } } })
    await assert.rejects(ensurePersistentState({ client }, web), ClaimTaken)
  })

  test('has a different claim for each VM, however long its name', () => {
    const long = ['a'.repeat(253), `${'a'.repeat(252)}b`].map(persistentStateClaimName)
    assert.notEqual(long[0], long[1])
    for (const name of long) assert.deepEqual(validateName(name, 'dns-subdomain'), [])
  })
})
