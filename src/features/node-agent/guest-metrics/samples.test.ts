import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { samplesOf, type GuestReading } from './samples.ts'

const traffic = { bytes: 10, packets: 1, errors: 0, dropped: 0 }
const reading: GuestReading = {
  load: {
    process: { userSeconds: 2, systemSeconds: 1, residentBytes: 4096 },
    vcpus: new Map([
      [0, { seconds: 1, delaySeconds: 0.5, processors: 2 }],
      [1, { seconds: 2, delaySeconds: 0.25, processors: 2, ioWaitSeconds: 3 }],
    ]),
    memory: { domainBytes: 1024, balloonBytes: 512 },
    disks: [
      {
        disk: 'root',
        reads: 1,
        writes: 2,
        flushes: 3,
        readBytes: 4,
        writtenBytes: 5,
        readSeconds: 6,
        writeSeconds: 7,
        flushSeconds: 8,
      },
    ],
  },
  cards: new Map([['default', { received: { ...traffic, bytes: 99 }, transmitted: traffic }]]),
}
const vmi = {
  metadata: { namespace: 'shop', name: 'db', labels: { 'app.example.com/tier-name': 'back' } },
  status: { nodeName: 'node-1' },
}
const common = { node: 'node-1', namespace: 'shop', name: 'db', kubernetes_vmi_label_app_example_com_tier_name: 'back' }

suite('samplesOf()', () => {
  const samples = samplesOf(vmi, reading)
  const of = (metric: string): unknown[] =>
    samples.filter((sample) => sample.metric === metric).map(({ labels, value }) => [{ ...labels }, value])

  test('has the labels of the VMI, and those of the part', () => {
    assert.deepEqual(of('kubevirt_vmi_cpu_usage_seconds_total'), [[common, 3]])
    assert.deepEqual(of('kubevirt_vmi_storage_write_traffic_bytes_total'), [[{ ...common, drive: 'root' }, 5]])
    assert.deepEqual(of('kubevirt_vmi_network_receive_bytes_total'), [[{ ...common, interface: 'default' }, 99]])
    assert.deepEqual(of('kubevirt_vmi_network_traffic_bytes_total'), [
      [{ ...common, interface: 'default', type: 'rx' }, 99],
      [{ ...common, interface: 'default', type: 'tx' }, 10],
    ])
    assert.deepEqual(of('kubevirt_vmi_vcpu_seconds_total'), [
      [{ ...common, id: '0', state: 'running' }, 1],
      [{ ...common, id: '1', state: 'running' }, 2],
    ])
  })

  test('leaves out what is not known', () => {
    assert.deepEqual(of('kubevirt_vmi_memory_available_bytes'), [])
    assert.deepEqual(of('kubevirt_vmi_filesystem_used_bytes'), [])
    assert.deepEqual(of('kubevirt_vmi_vcpu_wait_seconds_total'), [[{ ...common, id: '1' }, 3]])
  })

  test('a guest with file systems without end has 100 of them', () => {
    const fileSystems = Array.from({ length: 900 }, (_, index) => ({
      diskName: `vd${index}`,
      mountPoint: '/',
      fileSystemType: 'ext4',
      usedBytes: 1,
      totalBytes: 2,
    }))
    const many = samplesOf(vmi, { ...reading, use: { fileSystems } })
    assert.equal(many.filter(({ metric }) => metric === 'kubevirt_vmi_filesystem_used_bytes').length, 100)
  })
})
