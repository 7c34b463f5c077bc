import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import type { Client } from '#client/client.ts'
import type { MemoryApi } from '../memory-api.fixture.ts'
import { createKubelet, type KubeletOptions } from './kubelet.ts'
import { trySignal } from './process/process-identity.ts'
import { findMarked, type MarkedProcess } from './process/process-marker.ts'

/** A node in a temporary directory, with real processes. */
export interface TestNode extends AsyncDisposable {
  readonly directory: string
  readonly processes: () => readonly MarkedProcess[]
  /** Starts a kubelet; the result ends it and leaves the processes. */
  start(overrides?: Partial<KubeletOptions>): () => Promise<void>
}

/** Creates a node. Disposal kills all its processes and removes the directory. */
export function createTestNode(api: Client): TestNode {
  const directory = mkdtempSync(join(tmpdir(), 'kubelet-'))
  const stops: (() => Promise<void>)[] = []
  const processes = (): readonly MarkedProcess[] =>
    findMarked('').filter((found) => found.environment['POD_DIR']?.startsWith(directory) === true)
  return {
    directory,
    processes,
    start(overrides = {}) {
      const stop = new AbortController()
      const kubelet = createKubelet({
        client: api,
        nodeName: 'n1',
        dataDirectory: directory,
        resolveImage: (reference) =>
          reference === 'missing'
            ? Promise.reject(new RangeError('no such image'))
            : Promise.resolve({ rootDirectory: '/', entrypoint: [] }),
        clock: systemClock,
        log: silentLogger,
        environment: { PATH: '/usr/bin:/bin' },
        version: 'v0.0.0',
        ...overrides,
      })
      const running = kubelet.run(stop.signal)
      const end = async (): Promise<void> => {
        stop.abort()
        await running
      }
      stops.push(end)
      return end
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()))
      // A process that is about to end may still write, or start another one.
      while (processes().length > 0) {
        for (const { pid } of processes()) trySignal(pid, 'SIGKILL')
        await systemClock.sleep(5)
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A pod bound to the node, whose one container runs a shell script. */
export function shellPod(name: string, script: string, spec: Partial<PodSpec> = {}): Pod {
  const container = { name: 'main', image: 'shell', command: ['/bin/sh', '-c', script] }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'n1', containers: [container], ...spec },
  }
}

/** Reports whether a process has written to a file: a shell creates the file before it writes. */
export function isWritten(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Polls until the function gives something. */
export async function eventually<T>(what: () => T | undefined | false, limitMs = 60_000): Promise<T> {
  const end = systemClock.now() + limitMs
  for (;;) {
    const found = what()
    if (found !== undefined && found !== false) return found
    if (systemClock.now() > end) throw new RangeError('it did not come true in time')
    await systemClock.sleep(5)
  }
}

/** The pod as the API has it. */
export function podIn(api: MemoryApi, name: string): Pod | undefined {
  return api.peek(pods, 'default', name)
}
