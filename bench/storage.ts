// Writes per second of the object store with concurrent writers of 3 KB objects, and the time to
// open a store of 20,000 objects. Usage: node bench/storage.ts [writers] [seconds] [FULL|NORMAL]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'

const [writers, seconds] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 5)]
const synchronous = process.argv[4] === 'NORMAL' ? 'NORMAL' : 'FULL'
const resource = 'kubevirt.io/virtualmachineinstances'
const directory = mkdtempSync(join(tmpdir(), 'bench-storage-'))

function open(file: string): ObjectStore {
  return openObjectStore({ path: join(directory, file), now: () => Date.now(), synchronous })
}

/** About 3 KB of JSON with the shape of an object: many small strings. */
function instance(name: string, generation: number): KubeObject {
  const fields = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`field${index}`, `value-${index}-of-${name}-padding-padding`]),
  )
  const spec = { spec: fields }
  return {
    ...spec,
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default', generation },
  }
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
}

async function measureWrites(): Promise<void> {
  await using store = open('writes.db')
  const latencies: number[] = []
  const end = performance.now() + seconds * 1000
  const cpu = process.cpuUsage()
  let longestLag = 0
  let tick = performance.now()
  const lag = setInterval(() => {
    longestLag = Math.max(longestLag, performance.now() - tick - 5)
    tick = performance.now()
  }, 5)
  async function writer(id: number): Promise<void> {
    for (let count = 0; performance.now() < end; count += 1) {
      // Every fifth write creates; the others update.
      const name = `vm-${id}-${Math.floor(count / 5)}`
      const expected = store.getPending(resource, 'default', name)?.revision ?? 0
      const start = performance.now()
      await store.write({ resource, namespace: 'default', name, expected, object: instance(name, count) })
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, id) => writer(id)))
  clearInterval(lag)
  latencies.sort((a, b) => a - b)
  const { user, system } = process.cpuUsage(cpu)
  const { commits, writes, databaseBytes, walBytes, commitMsP50, commitMsP99 } = store.stats()
  console.log(`${writers} writers, ${seconds} s, synchronous ${synchronous}, ${store.list(resource)[0]?.json.length} bytes each`)
  console.log(
    `  ${Math.round(latencies.length / seconds)} writes/s, p50 ${percentile(latencies, 0.5)} ms, p99 ${percentile(latencies, 0.99)} ms, max ${percentile(latencies, 0.99999)} ms`,
  )
  console.log(
    `  ${(writes / commits).toFixed(1)} writes/commit, commit p50 ${commitMsP50.toFixed(2)} ms, p99 ${commitMsP99.toFixed(2)} ms, longest loop stall ${longestLag.toFixed(1)} ms`,
  )
  console.log(
    `  database ${databaseBytes >> 20} MiB, log ${walBytes >> 20} MiB, CPU ${((user + system) / 1e6 / seconds).toFixed(2)} cores, RSS ${process.memoryUsage.rss() >> 20} MiB`,
  )
}

async function measureOpen(count: number): Promise<void> {
  {
    await using store = open('open.db')
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.write({ resource, namespace: 'default', name: `vm-${index}`, expected: 0, object: instance(`vm-${index}`, 1) }),
      ),
    )
  }
  const start = performance.now()
  await using store = open('open.db')
  const opened = performance.now()
  const bytes = store.list(resource).reduce((sum, entry) => sum + entry.json.length, 0)
  const listed = performance.now()
  for (const entry of store.list(resource)) void entry.object
  console.log(
    `open ${count} objects: ${(opened - start).toFixed(0)} ms, list ${bytes >> 20} MiB ${(listed - opened).toFixed(1)} ms, parse all ${(performance.now() - listed).toFixed(0)} ms`,
  )
}

async function measureEmpty(): Promise<void> {
  const start = performance.now()
  await using _new = open('empty.db')
  console.log(`create an empty store: ${(performance.now() - start).toFixed(1)} ms`)
  await _new[Symbol.asyncDispose]()
  const again = performance.now()
  await using _old = open('empty.db')
  console.log(`open an empty store: ${(performance.now() - again).toFixed(1)} ms`)
}

try {
  await measureEmpty()
  await measureWrites()
  await measureOpen(20_000)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
