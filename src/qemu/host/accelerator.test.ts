import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseAccelerator } from './accelerator.ts'

const cases = [
  { name: 'hardware and a usable device', flags: ['vmx'], device: undefined, override: undefined, wanted: 'kvm' },
  { name: 'AMD hardware', flags: ['svm'], device: undefined, override: undefined, wanted: 'kvm' },
  { name: 'a device without hardware below it', flags: ['sse2'], device: undefined, override: undefined, wanted: 'tcg' },
  { name: 'no device', flags: ['vmx'], device: 'there is no /dev/kvm', override: undefined, wanted: 'tcg' },
  { name: 'TCG configured', flags: ['vmx'], device: undefined, override: 'tcg', wanted: 'tcg' },
  { name: 'KVM configured', flags: [], device: undefined, override: 'kvm', wanted: 'kvm' },
] as const

for (const { name, flags, device, override, wanted } of cases) {
  test(`chooseAccelerator() chooses ${wanted} with ${name}`, () => {
    const choice = chooseAccelerator({ cpuFlags: flags, kvmDeviceError: device }, override)
    assert.equal(choice.accelerator, wanted)
    assert.notEqual(choice.reason, '')
  })
}
