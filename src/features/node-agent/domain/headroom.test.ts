import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths, type LaunchRecord } from '#features/launcher/index.ts'
import { buildArguments, type Domain } from '#qemu/index.ts'
import { guestDomainOf } from './domain.ts'
import { imaginedHost } from '../node/host.fixture.ts'
import { memoryHeadroomOf, missingHeadroom } from './headroom.ts'

type DomainSpec = VirtualMachineInstanceSpec['domain']

const growing = { guest: '1Gi', maxGuest: '4Gi' }
const specOf = (domain: Partial<DomainSpec>): VirtualMachineInstanceSpec => ({
  domain: { devices: {}, machine: { type: 'q35' }, memory: growing, ...domain },
})
const gibibyte = 2 ** 30

const rows: readonly (readonly [string, Partial<DomainSpec>, ReturnType<typeof memoryHeadroomOf>])[] = [
  ['up to maxGuest', {}, { maxBytes: 4 * gibibyte }],
  ['none without maxGuest', { memory: { guest: '1Gi' } }, {}],
  ['none at the maximum', { memory: { guest: '4Gi', maxGuest: '4Gi' } }, {}],
  ['none when it is small', { memory: { guest: '512Mi', maxGuest: '4Gi' } }, { why: 'the guest has less than 1Gi' }],
  ['none of odd size', { memory: { guest: '1Gi', maxGuest: '2049Mi' } }, { why: 'the memory is no multiple of 2Mi' }],
  ['none of huge pages', { memory: { ...growing, hugepages: { pageSize: '2Mi' } } }, { why: 'its memory is made of huge pages' }],
  ['up to the limit of the VM', { resources: { limits: { memory: '2Gi' } } }, { maxBytes: 2 * gibibyte }],
  ['none beyond the limit of the VM', { resources: { limits: { memory: '1Gi' } } }, { why: 'the VM limits its memory to 1Gi' }],
  ['none without ACPI', { features: { acpi: { enabled: false } } }, { why: 'it has no ACPI to be told by' }],
  ['limited by the address width of the CPU', { memory: { guest: '1Gi', maxGuest: '2Ti' } }, { maxBytes: 512 * gibibyte }],
]

const domainOf = (domain: Partial<DomainSpec>): Domain => {
  const vmi: VirtualMachineInstance = { metadata: { name: 'web', namespace: 'team', uid: 'u1' }, spec: specOf(domain) }
  const volumes = new Map(
    (domain.devices?.disks ?? []).map(({ name }) => [name, { path: `/${name}`, format: 'raw', readOnly: false } as const]),
  )
  return guestDomainOf(vmi, { files: { volumes }, paths: launcherPaths('/pods', '/run', 'u1'), host: imaginedHost, nowMs: 0 })
}
const disks = (count: number): DomainSpec['devices'] => ({
  autoattachGraphicsDevice: false,
  disks: Array.from({ length: count }, (_, index) => ({ name: `d${index}`, disk: { bus: 'virtio' } })),
})
const recordWith = (domain: Domain): Pick<LaunchRecord, 'domain' | 'arguments'> => ({ domain, arguments: buildArguments(domain) })

suite('headroom for hotplug', () => {
  for (const [reason, domain, room] of rows) test(reason, () => assert.deepEqual(memoryHeadroomOf(specOf(domain)), room))

  test('adds virtio-mem only for a guest that may grow', () => {
    const has = (domain: Partial<DomainSpec>): boolean => buildArguments(domainOf(domain)).some((word) => word.includes('virtio-mem'))
    assert.equal(has({}), true)
    assert.equal(has({ memory: { guest: '1Gi' } }), false)
  })

  test('is dropped when the PCI bus is full', () => {
    const roomy = Array.from({ length: 31 }, (_, count) => domainOf({ devices: disks(count) }).memory.maxBytes !== undefined)
    const last = roomy.lastIndexOf(true)
    assert.ok(last > 0 && last < 30)
    const full = { devices: disks(last + 1) }
    assert.ok(buildArguments(domainOf(full)).length > 0)
    const { memory } = missingHeadroom({ spec: specOf(full) }, recordWith(domainOf(full)))
    assert.equal(memory, 'it was started without room for it')
  })

  test('reports the parts that the guest was started without', () => {
    const cpu = { sockets: 1, maxSockets: 4 }
    const before = domainOf({ cpu, memory: { guest: '1Gi' } })
    assert.deepEqual(missingHeadroom({ spec: specOf({ cpu }) }, recordWith(before)), { memory: 'it was started without room for it' })
    assert.deepEqual(missingHeadroom({ spec: specOf({ cpu }) }, recordWith(domainOf({ cpu }))), {})
    const deaf = { cpu, features: { acpi: { enabled: false } } }
    const why = 'it has no ACPI to be told by'
    assert.deepEqual(missingHeadroom({ spec: specOf(deaf) }, recordWith(domainOf(deaf))), { sockets: why, memory: why })
    const narrow = domainOf({ cpu: { sockets: 1 } })
    assert.deepEqual(missingHeadroom({ spec: specOf({ cpu }) }, recordWith(narrow)), { sockets: 'it was started without room for them' })
  })

  test('includes vCPUs under emulation only for a guest that started with one', () => {
    const room = (cpu: NonNullable<DomainSpec['cpu']>, accelerator: 'kvm' | 'tcg'): string | undefined => {
      const domain = domainOf({ cpu })
      return missingHeadroom({ spec: specOf({ cpu }) }, recordWith({ ...domain, machine: { ...domain.machine, accelerator } })).sockets
    }
    const [one, two] = [
      { sockets: 1, maxSockets: 4 },
      { sockets: 2, maxSockets: 4 },
    ]
    assert.deepEqual([room(one, 'tcg'), room(one, 'kvm'), room(two, 'kvm')], [undefined, undefined, undefined])
    assert.match(room(two, 'tcg') ?? '', /^without hardware virtualization/)
    const args = buildArguments(domainOf({ cpu: one })).map((word) => word.replace(',thread=single', ''))
    const former = { domain: domainOf({ cpu: one }), arguments: args }
    assert.match(missingHeadroom({ spec: specOf({ cpu: one }) }, former).sockets ?? '', /^without hardware virtualization/)
  })
})
