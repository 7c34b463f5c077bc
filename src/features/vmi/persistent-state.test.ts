import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DomainSpec } from '#api/kubevirt/v1/domain/domain.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateName } from '#apimachinery/names.ts'
import { defaultClusterConfig } from '#features/defaults/index.ts'
import { launcherPodOf } from './launcher-pod.ts'
import { persistentStateClaim, persistentStateClaimName, wantsPersistentState } from './persistent-state.ts'

function vmi(domain: Partial<DomainSpec>, owned = true): VirtualMachineInstance {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }
  return {
    metadata: { name: 'web', namespace: 'team', uid: 'vmi-uid', ...(owned ? { ownerReferences: [owner] } : {}) },
    spec: { domain: { devices: {}, memory: { guest: '1Gi' }, ...domain } },
  }
}

suite('persistent state', () => {
  const rows: readonly (readonly [string, Partial<DomainSpec>, boolean])[] = [
    ['nothing', {}, false],
    ['UEFI that forgets', { firmware: { bootloader: { efi: {} } } }, false],
    ['UEFI that remembers', { firmware: { bootloader: { efi: { persistent: true } } } }, true],
    ['a TPM that forgets', { devices: { tpm: {} } }, false],
    ['a TPM that remembers', { devices: { tpm: { persistent: true } } }, true],
    ['a TPM that is switched off', { devices: { tpm: { persistent: true, enabled: false } } }, false],
  ]
  for (const [name, domain, expected] of rows) {
    test(`of ${name}: ${expected ? 'a claim in the pod' : 'none'}`, () => {
      assert.equal(wantsPersistentState(vmi(domain).spec), expected)
      const claims = (launcherPodOf(vmi(domain), { image: 'launcher', config: defaultClusterConfig }).spec.volumes ?? []).flatMap(
        ({ persistentVolumeClaim }) => (persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName]),
      )
      assert.deepEqual(claims, expected ? ['persistent-state-for-web'] : [])
    })
  }

  test('lives as long as the VM, or as a VMI without one', () => {
    const owners = (owned: boolean): (string | undefined)[] =>
      (persistentStateClaim(vmi({}, owned)).metadata.ownerReferences ?? []).map(({ uid }) => uid)
    assert.deepEqual([owners(true), owners(false)], [['vm-uid'], ['vmi-uid']])
  })

  test('has a name of its own for every VM, however long its name', () => {
    const long = ['a'.repeat(253), `${'a'.repeat(252)}b`].map(persistentStateClaimName)
    assert.notEqual(long[0], long[1])
    for (const name of long) assert.deepEqual(validateName(name, 'dns-subdomain'), [])
  })
})
