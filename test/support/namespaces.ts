import { after } from 'node:test'
import { startMachine, type TestMachine } from './machine.ts'

let started: Promise<TestMachine> | undefined
let count = 0

// At the end of the process, whichever file was the last.
after(async () => (await started)?.[Symbol.asyncDispose]())

/**
 * Returns a namespace of its own on a cluster of two nodes that all files of this process share:
 * the runner divides those in `test/one-machine` among two. For tests that neither stop components
 * nor change the cluster's configuration. Disposal deletes the namespace.
 */
export async function useNamespace(): Promise<TestMachine> {
  started ??= startMachine({ nodes: 2 })
  const machine = await started
  count += 1
  return machine.createNamespace(`test-${count}`)
}
