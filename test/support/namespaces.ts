import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { machineAt, startMachine, type TestMachine } from './machine.ts'

let started: Promise<TestMachine> | undefined
let count = 0

// At the end of the process, whichever file was the last.
after(async () => (await started)?.[Symbol.asyncDispose]())

/**
 * Returns a namespace of its own on a cluster of two nodes that all files of this process share:
 * the runner gives those in `test/one-machine` one process. For tests that neither stop components
 * nor change the cluster's configuration. Disposal deletes the namespace.
 */
export async function useNamespace(): Promise<TestMachine> {
  started ??= startMachine({ nodes: 2 })
  const machine = await started
  count += 1
  const namespace = `test-${count}`
  const kubeconfig = join(machine.home, `kubeconfig-${namespace}`)
  await cp(join(machine.home, 'kubeconfig'), kubeconfig)
  await machine.kubectl(['create', 'namespace', namespace])
  await machine.kubectl(['wait', '-n', namespace, '--for=create', 'sa/default', 'cm/kube-root-ca.crt', '--timeout=30s'])
  const own = machineAt(machine.home, { namespace, kubeconfig })
  await own.kubectl(['config', 'set-context', '--current', `--namespace=${namespace}`])
  return { ...own, [Symbol.asyncDispose]: async () => void (await machine.kubectl(['delete', 'namespace', namespace, '--wait=false'])) }
}
