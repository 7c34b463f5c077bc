import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualMachineInstance as schema } from '#api/kubevirt/v1/schema.generated.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { admitVmi, completeVmi } from '#features/vmi/index.ts'
import { seed } from '../support/effort.ts'
import { startOracle } from './oracle.ts'

interface Answer {
  readonly allowed: boolean
  readonly causes: readonly (Partial<StatusCause> & { readonly type?: string })[]
  readonly error?: string
}

/** A VMI that is valid, and has one of many devices. */
const valid = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'vmi', namespace: 'default', annotations: {}, labels: {} },
  spec: {
    terminationGracePeriodSeconds: 30,
    networks: [
      { name: 'default', pod: {} },
      { name: 'second', multus: { networkName: 'net' } },
    ],
    volumes: [
      { name: 'root', containerDisk: { image: 'registry.test/guest:v1' } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'init', cloudInitNoCloud: { userData: '#cloud-config' } },
      { name: 'keys', secret: { secretName: 'keys' } },
      { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
    ],
    domain: {
      cpu: { cores: 2, features: [{ name: 'vmx', policy: 'require' }] },
      memory: { guest: '1Gi' },
      resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { memory: '2Gi', cpu: '2' } },
      machine: { type: 'q35' },
      features: { hyperv: { relaxed: {} }, smm: {} },
      firmware: { bootloader: { efi: {} } },
      clock: { utc: {}, timer: { hpet: { present: false } } },
      devices: {
        disks: [
          { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
          { name: 'claim', lun: { bus: 'scsi' } },
          { name: 'init', cdrom: { bus: 'sata' } },
          { name: 'scratch', disk: { bus: 'sata' } },
        ],
        interfaces: [
          { name: 'default', masquerade: {}, ports: [{ port: 22 }] },
          { name: 'second', bridge: {}, bootOrder: 2 },
        ],
        inputs: [{ name: 'tablet', bus: 'usb', type: 'tablet' }],
        watchdog: { name: 'dog', i6300esb: { action: 'reset' } },
        rng: {},
      },
    },
    readinessProbe: { tcpSocket: { port: 22 } },
  },
}

type Path = readonly (string | number)[]

/** Values for a schema that are valid, at a bound, or wrong. */
function valuesFor(of: StructuralSchema, path: Path): readonly unknown[] {
  const key = String(path.at(-1))
  if (of.type === 'boolean') return [true, false]
  if (of.type === 'integer') return [0, 1, 3, 600, 5000]
  if (of['x-kubernetes-int-or-string'] === true || of.anyOf !== undefined) return ['0', '512Mi', '3', '500m', '2500m', '-1', '64Gi', 7]
  if (of.type === 'string') return ['', 'x', 'Upper', 'a.b', '/', '/a/../b', 'a b', ...(words[key] ?? [])]
  if (of.type === 'array') return [[]]
  return [{}]
}

/** Words that mean something in a field. */
const words: Readonly<Record<string, readonly string[]>> = {
  bus: ['virtio', 'sata', 'scsi', 'usb', 'ide', 'nvme'],
  cache: ['none', 'writeback', 'writethrough', 'unsafe'],
  io: ['native', 'threads', 'io_uring'],
  errorPolicy: ['stop', 'ignore', 'retry'],
  architecture: ['amd64', 'arm64', 's390x', 'riscv64'],
  type: ['q35', 'pc-q35-7.2', 'pc', 'pc-i440fx-7.2', 'virt', 'tablet', 'keyboard', 'vga', 'virtio', 'Disk', 'DiskOrCreate'],
  model: ['host-model', 'host-passthrough', 'ich9', 'ac97', 'virtio', 'e1000', 'hyperv', 'isa'],
  policy: ['require', 'optional', 'forbid', 'never'],
  action: ['reset', 'poweroff', 'none'],
  evictionStrategy: ['None', 'LiveMigrate', 'External'],
  startStrategy: ['Paused', 'Running'],
  dnsPolicy: ['None', 'Default', 'ClusterFirst'],
  ioThreadsPolicy: ['shared', 'auto', 'supplementalPool', 'dedicated'],
  pageSize: ['2Mi', '1Gi', '3Mi', '64Gi'],
  pciAddress: ['0000:81:01.0', '0000:81:01'],
  macAddress: ['02:00:00:00:00:00', 'DE-AD-00-00-BE-AF'],
  serial: ['ABC-1', 'ä', 'x'.repeat(300)],
  userDataBase64: ['e30=', 'x'.repeat(3000)],
  userData: ['#cloud-config', 'x'.repeat(3000)],
  path: ['/disk/disk.img', 'disk.img', '/disk/'],
  kernelPath: ['/boot/vmlinuz', '../vmlinuz'],
  state: ['up', 'down', 'absent'],
  protocol: ['TCP', 'UDP', 'ICMP'],
  topologyKey: ['kubernetes.io/hostname'],
  whenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
  operator: ['In', 'Exists', 'Gt'],
  name: ['root', 'default', 'init'],
}

/** Changes at all paths below a schema, into all items of the valid VMI's lists and one more. */
function* mutations(of: StructuralSchema, at: unknown, path: Path): Generator<Change> {
  for (const value of valuesFor(of, path)) yield { path, value }
  if (of.properties !== undefined)
    for (const [key, child] of Object.entries(of.properties))
      yield* mutations(child, (at as Record<string, unknown> | undefined)?.[key], [...path, key])
  if (of.items !== undefined) {
    const length = Array.isArray(at) ? at.length : 0
    for (let index = 0; index <= length; index++) yield* mutations(of.items, (at as unknown[] | undefined)?.[index], [...path, index])
  }
}

interface Change {
  readonly path: Path
  readonly value: unknown
}

/** Returns the valid VMI with other values, in objects and items that are made on the way. */
function mutated(changes: readonly Change[]): VirtualMachineInstance {
  const vmi = structuredClone(valid) as unknown as VirtualMachineInstance
  for (const { path, value } of changes) {
    let parent = vmi as unknown as Record<string | number, unknown>
    for (const [index, key] of path.slice(0, -1).entries()) {
      // An item after the last one that there is.
      if (Array.isArray(parent) && Number(key) > parent.length) break
      if (typeof parent[key] !== 'object' || parent[key] === null) parent[key] = typeof path[index + 1] === 'number' ? [] : {}
      parent = parent[key] as Record<string | number, unknown>
    }
    if (!Array.isArray(parent) || Number(path.at(-1)) <= parent.length) parent[path.at(-1) ?? ''] = value
  }
  return vmi
}

/** Causes that only one side has, and why. Each must occur. */
const deliberate: readonly (readonly [RegExp, string])[] = [
  [/only tablet type\.$/, 'keyboards work here'],
  [/virtual CPUs, must be at most 4096\.$/, 'no machine type has as many'],
  [/^FieldValueInvalid spec\.domain\.memory\.(guest|maxGuest): .* must be greater than 0\.$/, 'QEMU does not start without memory'],
  [/greater than the configured maxGuest memory$/, 'upstream starts such a guest without hotplug, and says so in a log'],
  [/Capacity of emptyDisk must be greater than zero\.$/, 'the disk cannot be made'],
  [/containerDisk\.image is a required field$/, 'the image cannot be pulled'],
  [/spec\.subdomain .* DNS_LABEL rules : must not contain dots$/, 'the API server refuses the pod'],
  [/: (nodes|guests) here |: the CPUs of this node /, 'no node could start the guest; upstream leaves it pending'],
  [/hostDisk\.path must be the absolute path of a file$/, 'upstream creates a pod that the kubelet refuses'],
  [/PasstBinding feature gate is not enabled$/, 'nothing binds by passt here yet; upstream opens the gate by default'],
]

/**
 * Upstream's fields that are no paths of a VMI, and what they are corrected to. The corrections are
 * made in the texts as well.
 */
const corrections: readonly (readonly [RegExp, string])[] = [
  [/spec\.domain\.devices\.disks\.domain\.devices\.disks\.disk\[(\d+)\]\.pciAddress/g, 'spec.domain.devices.disks[$1].disk.pciAddress'],
  [/spec\.domain\.devices\.disks\.domain\.devices\.disks(\.disk)?\[/g, 'spec.domain.devices.disks['],
  [/spec\.domain\.devices\.disks\.luns\.reservation/g, 'spec.domain.devices.disks'],
  [/spec\.domain\.volumes/g, 'spec.volumes'],
  [/spec\.domain\.ioThreads\.count/g, 'spec.domain.ioThreads.supplementalPoolThreadCount'],
  [/spec\.acpi(?=[.:])/g, 'spec.domain.firmware.acpi'],
  [/spec\.launchSecurity/g, 'spec.domain.launchSecurity'],
  [/spec\.HostDevices/g, 'spec.domain.devices.hostDevices'],
  [/spec\.GPUs/g, 'spec.domain.devices.gpus'],
  [/spec\.Sound/g, 'spec.domain.devices.sound'],
  [/spec\.video(?=:)/g, 'spec.domain.devices.video'],
  [/spec\.(nodeAffinity|podAffinity|podAntiAffinity)/g, 'spec.affinity.$1'],
  [/spec\[(\d+)\]/g, 'spec.domain.devices.interfaces[$1]'],
  [/^(\w+) (nameservers|options):/, '$1 spec.dnsConfig.$2:'],
  [/^(\w+) searchDomains:/, '$1 spec.dnsConfig.searches:'],
  [/^FieldValueRequired : no memory/, 'FieldValueRequired spec.domain.memory.guest: no memory'],
  // The schema of the webhook names no index and no reason.
  [/^undefined : (spec\.\S+) in body/, 'FieldValueNotSupported $1: $1 in body'],
]

function corrected(line: string): string {
  return corrections.reduce((text, [pattern, by]) => text.replace(pattern, by), line)
}

const ofSchema = ' in body should be one of '

/** Removes the index of a field whose text has none. */
function comparable(line: string): string {
  return line.includes(ofSchema) ? line.replace(/^(\S+ \S+?): /, (field) => field.replaceAll(/\[\d+\]/g, '')) : line
}

const lineOf = ({ type, reason = type, field = '', message }: Answer['causes'][number]): string => `${reason} ${field}: ${message}`

test('a changed VMI gets the verdict, fields and texts of upstream', async (t) => {
  const started = await startOracle('vmi-admission')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const spec = schema.properties?.['spec'] as StructuralSchema
  const counts = { compared: 0, sameVerdict: 0, equal: 0, bothRefuse: 0, refusedBySchema: 0 }
  const met = new Set<(typeof deliberate)[number]>()
  const found: string[] = []
  const seen = new Set<string>()
  const single = [...mutations(spec, valid.spec, ['spec'])]
  const pairs = fc.sample(fc.tuple(fc.constantFrom(...single), fc.constantFrom(...single)), { numRuns: 4_000, seed })
  const hostDisk = ['spec', 'volumes', 3, 'hostDisk']
  const relative = [
    { path: [...hostDisk, 'path'], value: 'relative' },
    { path: [...hostDisk, 'type'], value: 'Disk' },
  ]
  for (const changes of [...single.map((change) => [change]), ...pairs, relative]) {
    const vmi = mutated(changes)
    const text = JSON.stringify(vmi)
    // Upstream shows a guest the volume of its own memory dump as a disk, with the rules of disks.
    if (seen.has(text) || (changes.length > 1 && text.includes('"memoryDump"'))) continue
    seen.add(text)
    // What the schema refuses never reaches admission; the schemas are compared elsewhere.
    if (validateStructural(vmi, schema).length > 0) {
      counts.refusedBySchema++
      continue
    }
    const theirs = (await oracle.ask({ vmi, config: { network: { defaultNetworkInterface: 'masquerade' } } })) as Answer
    if (theirs.error?.startsWith('decode') === true || theirs.error?.startsWith('panic') === true) continue
    const completed = structuredClone(vmi)
    for (const { path, value } of completeVmi(vmi, defaultClusterConfig, '2026-01-01T00:00:00Z'))
      if (path === '/spec') completed.spec = value as never
    const ours = admitVmi(completed, defaultClusterConfig).causes
    counts.compared++
    const mine = new Set(ours.map((cause) => comparable(lineOf(cause))))
    const wanted = new Set(theirs.causes.map((cause) => corrected(lineOf(cause))))
    if (mine.size > 0 === !theirs.allowed) counts.sameVerdict++
    if (!theirs.allowed && mine.size > 0) counts.bothRefuse++
    // The schema of upstream's webhook ends its validation, and its answer ends after 10 causes.
    const isCut = theirs.causes.length >= 10 || [...wanted].some((line) => line.includes(ofSchema))
    const differences = [
      ...[...wanted].filter((line) => !mine.has(line)).map((line) => `only upstream: ${line}`),
      ...[...mine].filter((line) => !wanted.has(line) && !isCut).map((line) => `only steadyvm: ${line}`),
    ]
    if (differences.length === 0) counts.equal++
    for (const line of differences) {
      const row = deliberate.find(([pattern]) => pattern.test(line.replace(/^only \w+: /, '')))
      if (row !== undefined) met.add(row)
      else found.push(`${changes.map(({ path, value }) => `${path.join('.')}=${JSON.stringify(value)}`).join(', ')}  ${line}`)
    }
  }
  t.diagnostic(JSON.stringify(counts))
  assert.equal(found.length, 0, `${JSON.stringify(counts)}\n${found.join('\n')}`)
  assert.ok(counts.sameVerdict >= 0.99 * counts.compared, JSON.stringify(counts))
  assert.deepEqual(
    deliberate.filter((row) => !met.has(row)),
    [],
  )
})
