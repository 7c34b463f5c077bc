import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DomainSpec } from '#api/kubevirt/v1/domain/domain.ts'
import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { applyPresets, PresetsConflict } from './apply-presets.ts'

function vmiOf(domain: Partial<DomainSpec> = {}, metadata: object = {}): VirtualMachineInstance {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'ns', labels: { size: 'small', tier: 'a' }, ...metadata },
    spec: { domain: { devices: {}, ...domain } },
  } as VirtualMachineInstance)
}

function presetOf(name: string, domain: Partial<DomainSpec>, selector: object = {}, namespace = 'ns'): VirtualMachineInstancePreset {
  return deepFreeze({ metadata: { name, namespace }, spec: { selector, domain: domain as DomainSpec } })
}

const annotation = (name: string): string => `virtualmachinepreset.kubevirt.io/${name}`

suite('applyPresets()', () => {
  const full: Partial<DomainSpec> = {
    resources: { requests: { memory: '1Gi', cpu: '1' } },
    cpu: { cores: 2 },
    firmware: { serial: 's' },
    clock: { timezone: 'Europe/Berlin', timer: { hpet: { present: false } } },
    features: { apic: {} },
    devices: { watchdog: { name: 'w', i6300esb: { action: 'reset' } } },
    ioThreadsPolicy: 'auto',
  }

  test('fills all fields of a VMI that sets none', () => {
    const { vmi, warnings } = applyPresets(vmiOf(), [presetOf('all', full)])
    assert.deepEqual(vmi.spec.domain, full)
    assert.deepEqual(vmi.metadata.annotations, { [annotation('all')]: 'kubevirt.io/v1' })
    assert.deepEqual(warnings, [])
  })

  test('keeps the fields of the VMI, and reports those that were not applied', () => {
    const own: Partial<DomainSpec> = {
      resources: { requests: { memory: '2Gi' } },
      cpu: { cores: 4 },
      firmware: { serial: 't' },
      clock: { utc: {}, timer: { hpet: { present: true } } },
      features: { acpi: {} },
      devices: { watchdog: { name: 'x' } },
      ioThreadsPolicy: 'shared',
    }
    const { vmi, warnings } = applyPresets(vmiOf(own), [presetOf('all', full)])
    assert.deepEqual(vmi.spec.domain, { ...own, resources: { requests: { memory: '2Gi', cpu: '1' } } })
    assert.equal(warnings.length, 8)
    assert.ok(warnings[0]?.includes('spec.domain.resources.requests[memory]'))
  })

  test('does not annotate a VMI to which no field of a preset applies', () => {
    const { vmi } = applyPresets(vmiOf({ cpu: { cores: 4 } }), [presetOf('two', { cpu: { cores: 2 } })])
    assert.equal(vmi.metadata.annotations?.[annotation('two')], undefined)
  })

  test('accepts equal values of several presets', () => {
    const { vmi, warnings } = applyPresets(vmiOf({ resources: { requests: { memory: '1024Mi' } } }), [
      presetOf('a', { resources: { requests: { memory: '1Gi' } } }),
    ])
    assert.equal(vmi.metadata.annotations?.[annotation('a')], 'kubevirt.io/v1')
    assert.deepEqual(warnings, [])
  })

  const selecting = { cpu: { cores: 2 } }
  const rows: readonly (readonly [string, VirtualMachineInstancePreset, boolean])[] = [
    ['without selector', presetOf('p', selecting), true],
    ['for its label', presetOf('p', selecting, { matchLabels: { size: 'small' } }), true],
    [
      'for its label by expression',
      presetOf('p', selecting, { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] }),
      true,
    ],
    ['for another label', presetOf('p', selecting, { matchLabels: { size: 'large' } }), false],
    ['of another namespace', presetOf('p', selecting, {}, 'other'), false],
    ['with an empty selector', presetOf('p', selecting, { matchExpressions: [{ key: 'tier', operator: 'Like' }] }), false],
    ['without spec', { metadata: { name: 'p', namespace: 'ns' } }, false],
  ]
  for (const [name, preset, wanted] of rows) {
    test(`${wanted ? 'applies' : 'does not apply'} a preset ${name}`, () => {
      const vmi = vmiOf()
      const applied = applyPresets(vmi, [preset]).vmi
      assert.deepEqual(applied.spec.domain.cpu, wanted ? { cores: 2 } : undefined)
      if (!wanted) assert.equal(applied, vmi)
    })
  }

  test('does nothing for a VMI that opts out', () => {
    const vmi = vmiOf({}, { annotations: { 'virtualmachineinstancepresets.admission.kubevirt.io/exclude': 'true' } })
    assert.equal(applyPresets(vmi, [presetOf('all', full)]).vmi, vmi)
  })

  test('applies several presets without conflicts, and refuses conflicting ones', () => {
    const cores = presetOf('cores', { cpu: { cores: 2 } })
    const agreeing = [cores, presetOf('same', { cpu: { cores: 2 } }), presetOf('memory', { resources: { requests: { memory: '1Gi' } } })]
    assert.equal(Object.keys(applyPresets(vmiOf(), agreeing).vmi.metadata.annotations ?? {}).length, 3)
    assert.throws(() => applyPresets(vmiOf(), [cores, presetOf('other', { cpu: { cores: 4 } })]), PresetsConflict)
  })
})
