import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { guestMetrics } from '#features/node-agent/index.ts'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { networked } from '../support/guests/networked-guests.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { startSmallAgent } from '../support/guests/small-agent.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { useScraper, type ComponentScraper, type ScrapedSample } from '../support/observers/component-metrics.ts'

const mebibyte = 1024 * 1024
const obstacle = podNetworkObstacle() ?? false

/** Metrics that some nodes or guests do not have. */
const optional = new Set([
  // The kernel has to be built with statistics of its scheduler.
  'kubevirt_vmi_vcpu_wait_seconds_total',
  // Measured from the first scrape on.
  'kubevirt_vmi_dirty_rate_bytes_per_second',
])

suite('metrics of the load of a guest', { skip: noKubectl || obstacle }, () => {
  let machine: TestMachine
  let scraper: ComponentScraper
  before(async () => {
    machine = await useNamespace()
    await machine.kubectl(['create', '-f', '-'], withDisk(networked(demoVirtualMachine('loaded', { namespace: machine.namespace }))))
    scraper = await useScraper(machine)
    await untilGuestsRun(machine, ['loaded'])
  })
  after(async () => {
    await scraper[Symbol.asyncDispose]()
    await machine[Symbol.asyncDispose]()
  })

  const inGuest = (command: string): Promise<string> => machine.inGuest(command, 'loaded')
  const scrape = async (): Promise<ScrapedSample[]> =>
    (await scraper.scrape('virt-handler')).filter(({ labels }) => labels['namespace'] === machine.namespace)
  const valueIn = (samples: readonly ScrapedSample[], metric: string, labels: Readonly<Record<string, string>> = {}): number => {
    const found = samples.filter(
      (sample) =>
        sample.metric === `kubevirt_vmi_${metric}` && Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
    )
    assert.equal(found.length, 1, `${metric} ${JSON.stringify(labels)}: ${JSON.stringify(found)}`)
    return found[0]?.value ?? Number.NaN
  }
  /** Reads a file of the guest's /proc, and scrapes before and after. */
  async function around(file: string): Promise<[before: ScrapedSample[], text: string, after: ScrapedSample[]]> {
    return [await scrape(), await inGuest(`cat /proc/${file}`), await scrape()]
  }

  test('reads and writes of a disk are what the guest counts', async () => {
    await inGuest(
      'dd if=/dev/zero of=/dev/vda bs=64k count=32 conv=fsync; echo 3 >/proc/sys/vm/drop_caches; dd if=/dev/vda of=/dev/null bs=64k count=16',
    )
    const [, stats, samples] = await around('diskstats')
    const [reads = 0, , readSectors = 0, , writes = 0, , writtenSectors = 0] = fieldsOf(stats, / vda (.*)$/m)
    const read = (name: string): number => valueIn(samples, `storage_${name}`, { drive: 'scratch' })
    assert.deepEqual([read('read_traffic_bytes_total'), read('write_traffic_bytes_total')], [readSectors * 512, writtenSectors * 512])
    // QEMU may merge requests, and counts those that flush on their own.
    for (const [name, most] of [
      ['iops_read_total', reads],
      ['iops_write_total', writes],
    ] as const)
      assert.ok(read(name) > 0 && read(name) <= most, `${name}: ${read(name)} of ${most}`)
    assert.ok(read('flush_requests_total') > 0)
    assert.ok(writtenSectors * 512 >= 2 * mebibyte && readSectors * 512 >= mebibyte, stats)
    assert.ok(read('write_times_seconds_total') > 0)
  })

  test('traffic of a card is what the guest counts', async () => {
    await inGuest('ping -c 3 -s 1000 "$(ip route | sed -n "s/^default via \\([^ ]*\\).*/\\1/p")"')
    const [before, text, after] = await around('net/dev')
    const [received = 0, , , , , , , , sent = 0, sentPackets = 0] = fieldsOf(text, /^ *eth0: *(.*)$/m)
    const card = { interface: 'default' }
    const range = (name: string): [number, number] => [valueIn(before, `network_${name}`, card), valueIn(after, `network_${name}`, card)]
    const isIn = (value: number, [low, high]: [number, number], what: string): void =>
      assert.ok(low <= value && value <= high, `${what}: ${low} <= ${value} <= ${high}`)
    isIn(sent, range('transmit_bytes_total'), 'sent bytes')
    isIn(sentPackets, range('transmit_packets_total'), 'sent packets')
    // What came before the guest's driver was ready is not in the guest's count.
    const [, most] = range('receive_bytes_total')
    isIn(received, [3000, most], 'received bytes')
    assert.equal(valueIn(after, 'network_traffic_bytes_total', { ...card, type: 'rx' }), most)
  })

  test('memory is what the guest says, and what it was given', async () => {
    await eventually(
      async () => (await scrape()).some(({ metric }) => metric === 'kubevirt_vmi_memory_available_bytes'),
      () => 'the balloon has no statistics of the guest',
      60_000,
    )
    const [, text, samples] = await around('meminfo')
    const meminfo = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]) * 1024
    const read = (name: string): number => valueIn(samples, `memory_${name}_bytes`)
    assert.equal(read('domain'), 96 * mebibyte)
    assert.equal(read('actual_balloon'), 96 * mebibyte)
    assert.equal(read('available'), meminfo('MemTotal'))
    for (const [name, inGuest] of [
      ['unused', 'MemFree'],
      ['usable', 'MemAvailable'],
    ] as const)
      assert.ok(Math.abs(read(name) - meminfo(inGuest)) < 8 * mebibyte, `${name}: ${read(name)}, ${inGuest}: ${meminfo(inGuest)}`)
    assert.ok(read('resident') > 20 * mebibyte)
  })

  test('time of processors grows while the guest works', async () => {
    const before = await scrape()
    await inGuest('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done')
    const after = await scrape()
    const growth = (metric: string, labels = {}): number => valueIn(after, metric, labels) - valueIn(before, metric, labels)
    const vcpu = growth('vcpu_seconds_total', { id: '0', state: 'running' })
    assert.ok(vcpu > 0.05, `${vcpu} s`)
    // Ticks of the threads and of the process are rounded on their own.
    assert.ok(growth('cpu_usage_seconds_total') >= vcpu - 0.05)
    assert.ok(
      Math.abs(
        valueIn(after, 'cpu_usage_seconds_total') -
          valueIn(after, 'cpu_user_usage_seconds_total') -
          valueIn(after, 'cpu_system_usage_seconds_total'),
      ) < 1e-6,
    )
    assert.ok(valueIn(after, 'node_cpu_affinity') >= 1)
  })

  test('what only the agent knows is its answer, and each metric has the labels of its VMI', async () => {
    const system = { name: 'vda1', mountpoint: '/data', type: 'ext4', 'used-bytes': 5 * mebibyte, 'total-bytes': 60 * mebibyte, disk: [] }
    await startSmallAgent(machine, 'loaded', {
      'guest-get-fsinfo': [system],
      'guest-get-load': { load1m: 1.5, load5m: 0.75, load15m: 0.25 },
    })
    let samples: ScrapedSample[] = []
    await eventually(
      async () => {
        samples = await scrape()
        return samples.some(({ metric }) => metric === 'kubevirt_vmi_guest_load_15m')
      },
      () => JSON.stringify(samples),
      60_000,
    )
    const labels = { disk_name: 'vda1', mount_point: '/data', file_system_type: 'ext4' }
    assert.equal(valueIn(samples, 'filesystem_used_bytes', labels), 5 * mebibyte)
    assert.equal(valueIn(samples, 'filesystem_capacity_bytes', labels), 60 * mebibyte)
    assert.deepEqual(
      ['1m', '5m', '15m'].map((name) => valueIn(samples, `guest_load_${name}`)),
      [1.5, 0.75, 0.25],
    )
    const missing = guestMetrics.filter(({ name }) => !optional.has(name) && !samples.some(({ metric }) => metric === name))
    assert.deepEqual(missing, [])
    const node = await machine.kubectl(['get', 'vmi', 'loaded', '-o', 'jsonpath={.status.nodeName}'])
    for (const { metric, labels } of samples.filter(({ metric }) => guestMetrics.some(({ name }) => name === metric)))
      assert.deepEqual([labels['node'], labels['name'], labels['kubernetes_vmi_label_app']], [node, 'loaded', 'loaded'], metric)
  })
})

/** Adds a disk on the bus for which each guest has a driver. */
function withDisk(vm: string): string {
  return editGuest(vm, ({ domain, ...spec }) => ({
    ...spec,
    domain: { ...domain, devices: { ...domain.devices, disks: [{ name: 'scratch', disk: { bus: 'virtio' } }] } },
    volumes: [{ name: 'scratch', emptyDisk: { capacity: '64Mi' } }],
  }))
}

function fieldsOf(text: string, line: RegExp): number[] {
  return (line.exec(text)?.[1] ?? '').trim().split(/\s+/).map(Number)
}
