import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { explain, overridden, type ExpansionInputs, type Row } from '../index.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'

const inputs: ExpansionInputs = {
  vm: vmOf({
    domain: { machine: { type: 'q35' }, devices: { disks: [{ name: 'root', disk: { bus: 'scsi' } }] } },
    volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }],
  }),
  instancetype: {
    object: instancetypeOf({ cpu: { guest: 2 }, memory: { guest: '1Gi' } }),
    revision: { metadata: { name: 'web-small-v1beta1-7c0e-3' }, revision: 0 },
  },
  preference: { object: preferenceOf({ machine: { preferredMachineType: 'pc' }, features: { preferredAcpi: { enabled: false } } }) },
  config: defaultClusterConfig,
}

function rowOf(given: ExpansionInputs, path: string): Row {
  const [row] = explain(given, [path])
  assert.ok(row !== undefined, `nothing at ${path}`)
  return row
}

suite('explain()', () => {
  test('names the object, its generation and the revision that a value comes from', () => {
    assert.deepEqual(rowOf(inputs, 'spec.domain.memory.guest'), {
      path: 'spec.domain.memory.guest',
      value: '1Gi',
      source: 'instancetype',
      object: { kind: 'VirtualMachineInstancetype', name: 'small', generation: 3, revision: 'web-small-v1beta1-7c0e-3' },
      overrode: [],
    })
  })

  test('lists overridden values, highest precedence first', () => {
    const { source, object, overrode } = rowOf(inputs, 'spec.domain.machine.type')
    assert.deepEqual([source, object], ['vm', { kind: 'VirtualMachine', name: 'web', generation: 1 }])
    assert.deepEqual(overrode, [
      { source: 'preference', value: 'pc' },
      { source: 'default', value: 'q35' },
    ])
    assert.deepEqual(rowOf(inputs, 'spec.domain.devices.disks[0].disk.bus').overrode, [{ source: 'default', value: 'sata' }])
  })

  test('reports where a preference has overridden the VM', () => {
    const vm = vmOf({ domain: { features: { acpi: { enabled: true } }, devices: {} } })
    const { source, overrode } = rowOf({ ...inputs, vm }, 'spec.domain.features.acpi.enabled')
    assert.deepEqual([source, overrode[0]], ['preference', { source: 'vm', value: true }])
  })

  test('shows the value of the instance type for conflicting fields of the VM', () => {
    const vm = vmOf({ domain: { cpu: { cores: 8 }, memory: { guest: '3Gi' }, resources: { requests: { memory: '3Gi' } }, devices: {} } })
    const { source, value, overrode } = rowOf({ ...inputs, vm }, 'spec.domain.memory.guest')
    assert.deepEqual([source, value, overrode], ['vm', '3Gi', [{ source: 'instancetype', value: '1Gi' }]])
  })

  test('names the KubeVirt object only for defaults that it has changed', () => {
    const config = { ...defaultClusterConfig, cpuModel: 'Nehalem', maxHotplugRatio: 2 }
    const given = { ...inputs, config }
    const object = { kind: 'KubeVirt', name: 'kubevirt' }
    const { source, object: origin, overrode } = rowOf(given, 'spec.domain.cpu.model')
    assert.deepEqual([source, origin, overrode], ['default', object, [{ source: 'default', value: 'host-model' }]])
    assert.deepEqual(rowOf(given, 'spec.domain.cpu.maxSockets').object, object)
    assert.equal(rowOf(given, 'spec.evictionStrategy').object, undefined)
    assert.equal(rowOf(given, 'spec.domain.machine.type').source, 'vm')
  })

  test('returns all rows, or those at and below a path', () => {
    const rows = explain(inputs)
    assert.ok(rows.length > 20 && rows.every((row) => row.object !== undefined || row.source === 'default'))
    assert.deepEqual(
      explain(inputs, ['spec.domain.cpu']).map((row) => row.path.split('.').at(-1)),
      ['sockets', 'cores', 'threads', 'model', 'maxSockets'],
    )
  })
})

suite('overridden()', () => {
  test('treats an object without fields as absent', () => {
    const vm = vmOf({ domain: { devices: { tpm: { enabled: false } } } })
    const preference = { object: preferenceOf({ devices: { preferredTPM: { enabled: true } } }) }
    assert.deepEqual(overridden({ ...inputs, vm, preference }, 'spec.domain.devices.tpm.enabled'), [{ source: 'preference', value: true }])
  })

  test('returns nothing for absent values, and for a list that only becomes shorter', () => {
    const vm = vmOf({ domain: { devices: { panicDevices: [{ model: 'isa' }, { model: 'hyperv' }] } } })
    assert.deepEqual(overridden({ ...inputs, vm }, 'spec.domain.devices.panicDevices[0].model'), [])
    assert.deepEqual(overridden(inputs, 'spec.nothing'), [])
  })
})
