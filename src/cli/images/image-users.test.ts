import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { usersOf, type Consumers } from './image-users.ts'
import { dataSourceOf, dataVolumeOf } from './image-world.fixture.ts'

const none: Consumers = { vms: [], vmis: [], pools: [], dataVolumes: [], dataSources: [] }

function vmOf(namespace: string, templates: readonly DataVolumeSpec[], volumes: readonly Volume[] = []): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name: 'web' },
    spec: {
      dataVolumeTemplates: templates.map((spec) => ({ metadata: { name: 'web-root' }, spec })),
      template: { spec: { domain: { devices: {} }, volumes: [...volumes] } },
    },
  }
}

const vmiOf = ({ metadata, spec }: VirtualMachine): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata,
  spec: spec.template.spec,
})

suite('usersOf()', () => {
  const removal = { dataSource: dataSourceOf('fedora', 'image'), claim: { namespace: 'ns', name: 'image' } }
  const bySourceRef = (namespace?: string): DataVolumeSpec => ({
    sourceRef: { kind: 'DataSource', name: 'fedora', ...(namespace === undefined ? {} : { namespace }) },
  })
  const byClaim: DataVolumeSpec = { source: { pvc: { namespace: 'ns', name: 'image' } } }
  const mounted: Volume = { name: 'root', persistentVolumeClaim: { claimName: 'image' } }
  const cases: readonly (readonly [name: string, consumers: Partial<Consumers>, users: readonly RegExp[]])[] = [
    ['no one', {}, []],
    ['a VM of the namespace by sourceRef', { vms: [vmOf('ns', [bySourceRef()])] }, [/^VM "ns\/web" makes its disk from it$/]],
    ['a VM of another namespace', { vms: [vmOf('other', [bySourceRef('ns')])] }, [/^VM "other\/web"/]],
    ['a VM with a DataSource of the same name elsewhere', { vms: [vmOf('other', [bySourceRef()])] }, []],
    ['a VM by its claim', { vms: [vmOf('other', [byClaim])] }, [/^VM "other\/web"/]],
    ['a VM with the image as its disk', { vms: [vmOf('ns', [], [mounted])] }, [/has it as a disk/]],
    ['a claim of the same name elsewhere', { vms: [vmOf('other', [], [mounted])] }, []],
    ['a VMI without a VM', { vmis: [vmiOf(vmOf('ns', [], [mounted]))] }, [/^VMI "ns\/web"/]],
    ['a VM and its VMI, once', { vms: [vmOf('ns', [], [mounted])], vmis: [vmiOf(vmOf('ns', [], [mounted]))] }, [/^VM "ns\/web"/]],
    [
      'a copy under way',
      { dataVolumes: [dataVolumeOf('copy', { spec: byClaim, status: { phase: 'CloneInProgress' } })] },
      [/^DataVolume "ns\/copy" is being copied/],
    ],
    ['a copy that is complete', { dataVolumes: [dataVolumeOf('copy', { spec: byClaim })] }, []],
    ['another DataSource', { dataSources: [dataSourceOf('alias', 'image'), removal.dataSource] }, [/^DataSource "ns\/alias"/]],
  ]
  for (const [name, consumers, users] of cases) {
    test(name, () => {
      const found = usersOf(removal, { ...none, ...consumers })
      assert.equal(found.length, users.length, found.join('\n'))
      users.forEach((user, index) => assert.match(found[index] ?? '', user))
    })
  }
  test('the DataImportCron that keeps it', () => {
    const dataSource = dataSourceOf('fedora', 'image', { 'cdi.kubevirt.io/dataImportCron': 'cron' })
    assert.match(usersOf({ ...removal, dataSource }, none).join(), /DataImportCron "cron" keeps it/)
  })
})
