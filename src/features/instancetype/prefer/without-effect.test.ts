import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { expand } from '../expand/expand.ts'
import { warnOfPreferencesWithoutEffect } from '../index.ts'
import { preferenceOf, vmOf } from '../instancetype.fixture.ts'

const everything: VirtualMachinePreferenceSpec = {
  devices: {
    preferredSoundModel: 'ac97',
    preferredVirtualGPUOptions: { display: {} },
    preferredInputBus: 'virtio',
    preferredInputType: 'tablet',
    preferredDiskDedicatedIoThread: true,
    preferredCdromBus: 'sata',
  },
  firmware: { preferredUseSecureBoot: true, preferredUseBiosSerial: true },
}

// KubeVirt's issue 18305: a preference without its device is silently ignored.
suite('warnOfPreferencesWithoutEffect()', () => {
  test('names each preference that finds no device', () => {
    assert.equal(warningsOf(everything, {}).length, 7)
  })

  test('does not warn when the devices exist', () => {
    const { firmware: _, ...devices } = everything
    const spec: Partial<VirtualMachineInstanceSpec> = {
      domain: {
        devices: {
          sound: { name: 's' },
          gpus: [{ name: 'g' }],
          autoattachInputDevice: true,
          disks: [{ name: 'd', disk: { bus: 'virtio' } }],
        },
      },
    }
    assert.deepEqual(warningsOf(devices, spec), [])
    assert.deepEqual(warningsOf({ firmware: { preferredUseEfi: true, preferredUseSecureBoot: true } }, {}), [])
  })

  test('does not warn about preferences that disable something, or that need no device', () => {
    assert.deepEqual(
      warningsOf({ devices: { preferredDiskDedicatedIoThread: false, preferredCdromBus: 'sata', preferredLunBus: 'scsi' } }, {}),
      [],
    )
  })
})

function warningsOf(preference: VirtualMachinePreferenceSpec, spec: Partial<VirtualMachineInstanceSpec>): string[] {
  const { vmi } = expand(vmOf(spec), undefined, preferenceOf(preference), defaultClusterConfig)
  return warnOfPreferencesWithoutEffect(preference, vmi.spec)
}
