import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCondition } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { endedStatus } from '../guest/report-end.ts'
import { hasNewSockets, runningStatus } from './status.ts'
import type { GuestFacts } from '../guest-agent/answers.ts'
import { noVolumes } from '../volume-hotplug/volumes.ts'
import type { GuestSize } from '../hotplug/resize.ts'

const now = '2026-01-01T00:00:00Z'
const gibibyte = 2 ** 30
const record = {
  arguments: [],
  domain: {
    machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true },
    cpu: { sockets: 2, cores: 1, threads: 1, maxSockets: 8 },
    memory: { bytes: gibibyte, maxBytes: 4 * gibibyte },
    interfaces: [],
  },
} as unknown as LaunchRecord

function vmiWith(sockets: number, status: Partial<VirtualMachineInstanceStatus> = {}): VirtualMachineInstance {
  return {
    metadata: { name: 'web' },
    spec: { domain: { devices: {}, cpu: { sockets } } },
    status: { phase: 'Running', ...status },
  } as VirtualMachineInstance
}

const asStarted: GuestSize = {
  sockets: 2,
  idleVcpus: 0,
  memory: { atBootBytes: gibibyte, requestedBytes: gibibyte, bytes: gibibyte },
  refused: {},
}
const noTrouble = { refused: new Map<string, string>(), missing: [], isReleasing: false }
const living = (vmi: VirtualMachineInstance, size = asStarted): Partial<VirtualMachineInstanceStatus> =>
  runningStatus(vmi, record, {
    runState: 'running',
    size,
    volumes: noVolumes,
    diskSizes: new Map(),
    hasAgent: undefined,
    isFrozen: false,
    cards: { ...noTrouble, cards: [] },
    addresses: new Map(),
    acceleratorReason: 'for tests',
    now,
  })

suite('status of a running guest', () => {
  test('joins what the domain and the guest say of interfaces, the address of the pod first', () => {
    const connected = { name: 'default', mac: '02:00:00:00:00:0A', isConnected: true, link: 'up' } as const
    const seen = {
      runState: 'running',
      size: asStarted,
      volumes: noVolumes,
      diskSizes: new Map(),
      hasAgent: true,
      isFrozen: false,
      cards: { ...noTrouble, cards: [connected] },
      addresses: new Map([['default', '10.115.1.1']]),
      acceleratorReason: '',
      now,
    } as const
    const of = (facts?: GuestFacts): unknown => runningStatus(vmiWith(2), record, { ...seen, facts }).interfaces
    const card = {
      name: 'default',
      mac: '02:00:00:00:00:0A',
      ipAddress: '10.115.1.1',
      ipAddresses: ['10.115.1.1'],
      linkState: 'up',
      queueCount: 1,
    }
    assert.deepEqual(of(), [{ ...card, infoSource: 'domain' }])
    const inGuest = [
      { name: 'eth0', mac: '02:00:00:00:00:0a', addresses: ['10.9.9.9', '10.115.1.1'] },
      { name: 'docker0', mac: '02:42:00:00:00:01', addresses: [] },
    ]
    assert.deepEqual(of({ os: {}, interfaces: inGuest }), [
      { ...card, ipAddresses: ['10.115.1.1', '10.9.9.9'], interfaceName: 'eth0', infoSource: 'domain, guest-agent' },
      { mac: '02:42:00:00:00:01', interfaceName: 'docker0', infoSource: 'guest-agent' },
    ])
  })

  test('reports a card on a network of Multus with its address there', () => {
    const vmi = vmiWith(2)
    const networks = [{ name: 'blue', multus: { networkName: 'blue-net' } }]
    const status = runningStatus({ ...vmi, spec: { ...vmi.spec, networks } }, record, {
      runState: 'running',
      size: asStarted,
      volumes: noVolumes,
      diskSizes: new Map(),
      hasAgent: undefined,
      isFrozen: false,
      cards: { ...noTrouble, cards: [{ name: 'blue', mac: '02:00:00:00:00:0B', queues: 2, isConnected: true, link: 'down' }] },
      addresses: new Map([['blue', '192.168.9.2']]),
      acceleratorReason: '',
      now,
    })
    const [card] = status.interfaces ?? []
    assert.deepEqual(
      [card?.ipAddress, card?.infoSource, card?.queueCount, card?.linkState],
      ['192.168.9.2', 'domain, multus-status', 2, 'down'],
    )
  })

  test('says which cards are not as the VMI wants them, and that a migration brings those of another pod', () => {
    const cards = (more: object): Partial<VirtualMachineInstanceStatus> =>
      runningStatus(vmiWith(2), record, {
        runState: 'running',
        size: asStarted,
        cards: { ...noTrouble, cards: [], ...more },
        volumes: noVolumes,
        diskSizes: new Map(),
        hasAgent: undefined,
        isFrozen: false,
        addresses: new Map(),
        acceleratorReason: '',
        now,
      })
    const refused = new Map([['blue', 'the pod has no interface']])
    const types = ({ conditions }: Partial<VirtualMachineInstanceStatus>): string[] => (conditions ?? []).map(({ type }) => type)
    assert.ok(!types(cards({})).includes('steadyvm.io/InterfacesReady'))
    const pending = cards({ refused, missing: ['blue'] })
    assert.equal(findCondition(pending.conditions, 'steadyvm.io/InterfacesReady')?.message, 'interface "blue": the pod has no interface')
    assert.equal(findCondition(pending.conditions, 'MigrationRequired')?.status, 'True')
  })

  test('reports the topology, and HotVCPUChange when the VMI asks for more sockets', () => {
    const status = living(vmiWith(4))
    assert.deepEqual(status.currentCPUTopology, { sockets: 2, cores: 1, threads: 1 })
    const missing = findCondition(status.conditions, 'HotVCPUChange')
    assert.equal(missing?.status, 'True')
    assert.match(missing?.message ?? '', /^the guest has 2 sockets until it starts again/)
  })

  test('reports HotVCPUChange and no new sockets until the guest runs them', () => {
    const plugged = { ...asStarted, sockets: 4, idleVcpus: 2 }
    const [before, wanted] = [living(vmiWith(2)), vmiWith(4)]
    const offered = living(wanted, plugged)
    assert.equal(findCondition(offered.conditions, 'HotVCPUChange')?.reason, 'OfferedToGuest')
    const taken = living(vmiWith(4, offered), { ...plugged, idleVcpus: 0 })
    assert.equal(findCondition(taken.conditions, 'HotVCPUChange'), undefined)
    const news = [
      [before, offered],
      [offered, offered],
      [offered, taken],
      [before, taken],
      [taken, taken],
      [undefined, taken],
    ] as const
    assert.deepEqual(
      news.map(([former, status]) => hasNewSockets(former, status)),
      [false, false, true, true, false, false],
    )
  })

  test('removes HotVCPUChange when the sockets match or the guest has ended', () => {
    const { conditions } = living(vmiWith(4))
    const shown = vmiWith(2, conditions === undefined ? {} : { conditions })
    const ended = endedStatus(shown, { phase: 'Succeeded', reason: 'GuestShutdown', message: 'the guest powered off' }, now)
    for (const status of [living(shown), ended]) assert.equal(findCondition(status.conditions, 'HotVCPUChange'), undefined)
  })
  test('reports requested memory and HotMemoryChange until the guest has taken it', () => {
    const offered = { ...asStarted, memory: { ...asStarted.memory, requestedBytes: 2 * gibibyte } }
    const status = living(vmiWith(2), offered)
    assert.deepEqual(status.memory, { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '2Gi' })
    assert.match(findCondition(status.conditions, 'HotMemoryChange')?.message ?? '', /^the guest was offered 2Gi and has 1Gi by now/)
    const taken = { ...offered, memory: { ...offered.memory, bytes: 2 * gibibyte } }
    const shown = vmiWith(2, status)
    assert.equal(findCondition(living(shown, taken).conditions, 'HotMemoryChange'), undefined)
    const refused = living(shown, { ...asStarted, refused: { memory: 'no block' } })
    assert.deepEqual(
      [findCondition(refused.conditions, 'HotMemoryChange')?.status, findCondition(refused.conditions, 'HotMemoryChange')?.message],
      ['False', 'no block'],
    )
  })
})
