import { setTimeout as sleep } from 'node:timers/promises'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { demoVirtualMachine } from '../manifests.ts'
import type { TestMachine } from '../machine.ts'

/** Outcome of requests. */
export interface LoadReport {
  readonly requests: number
  /** Number of requests that were retried. */
  readonly retried: number
  /** Requests that failed after all retries, with the reason. */
  readonly failed: readonly string[]
  /** Longest duration of a request, including retries and pauses, in milliseconds. */
  readonly slowestMs: number
}

/** Milliseconds between two requests: 50 per second. */
const everyMs = 20
/**
 * Number of attempts, and the pause before the second one in milliseconds, which doubles for each
 * further one.
 */
const attempts = 7
const pauseMs = 50

/**
 * Sends 50 requests per second to the API of a cluster, reads and writes that virt-api must admit,
 * with the retries of real clients. `stop` ends it and returns the report; disposal ends it, too.
 */
export async function startLoad(machine: TestMachine): Promise<Disposable & { stop(): Promise<LoadReport> }> {
  const { http } = await loadKubeconfig({ path: machine.env['KUBECONFIG'] ?? '', env: machine.env })
  const client = createNodeClient(http)
  const stopping = new AbortController()
  const failed: string[] = []
  const pending = new Set<Promise<void>>()
  let [requests, retried, slowestMs] = [0, 0, 0]

  const send = async (request: () => Promise<unknown>): Promise<void> => {
    const startedMs = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        await request()
        break
      } catch (error) {
        if (attempt === 1) retried++
        if (attempt === attempts) return void failed.push(String(error))
        await sleep(pauseMs * 2 ** (attempt - 1))
      }
    }
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
  }
  const run = async (): Promise<void> => {
    const startedMs = performance.now()
    while (!stopping.signal.aborted) {
      const sent = send(requestOf(client, requests++))
      pending.add(sent)
      void sent.then(() => pending.delete(sent))
      await sleep(Math.max(0, startedMs + requests * everyMs - performance.now()))
    }
  }
  const running = run()
  return {
    [Symbol.dispose]: () => stopping.abort(),
    async stop() {
      stopping.abort()
      await running
      await Promise.all(pending)
      client[Symbol.dispose]()
      return { requests, retried, failed, slowestMs }
    },
  }
}

/** Returns one of ten requests: seven reads, two dry runs that pass admission, and one write. */
function requestOf(client: Client, count: number): () => Promise<unknown> {
  const vm = JSON.parse(demoVirtualMachine(`load-${count}`, { runStrategy: 'Halted' })) as VirtualMachine
  const key = { namespace: 'default', name: 'load' }
  const noted = { metadata: { annotations: { count: String(count) } } }
  switch (count % 10) {
    case 3:
    case 6:
      return () => client.create(virtualMachines, vm, { dryRun: true })
    case 9:
      return () => client.patch(virtualMachines, key, { type: 'merge', body: noted })
    default:
      return () => (count % 2 === 0 ? client.list(virtualMachineInstances, { namespace: 'default' }) : client.get(virtualMachines, key))
  }
}
