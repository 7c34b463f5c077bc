import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import type { Preference } from '#features/instancetype/index.ts'
import { validateVirtualMachine } from '../admission.ts'
import { vmWith } from '../vm.fixture.ts'

const preference: Preference = {
  kind: 'VirtualMachinePreference',
  metadata: { name: 'musical' },
  spec: { devices: { preferredSoundModel: 'ac97' } },
}
const template = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } }

test('a VM is admitted with a warning when its preference is for a device that it lacks', () => {
  const context = { old: undefined, instancetype: undefined, preference, config: defaultClusterConfig }
  assert.deepEqual(validateVirtualMachine(vmWith({ runStrategy: 'Halted', template }), context), {
    causes: [],
    warnings: ['preference spec.devices.preferredSoundModel has no effect: the VirtualMachine has no sound device'],
  })
  const waiting = vmWith({ runStrategy: 'Halted', template, instancetype: { name: 'later' } })
  assert.deepEqual(validateVirtualMachine(waiting, context).warnings, [])
})
