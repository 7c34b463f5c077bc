import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { newestKubectl } from '../kubectl.ts'
import type { TestMachine } from '../machine.ts'

/** Number of ready pods after each change. */
export interface ReadyPods extends Disposable {
  counts(): readonly number[]
}

/** Watches pods by label through kubectl. Pods that are being deleted do not count. */
export async function watchReady(machine: TestMachine, selector: string): Promise<ReadyPods> {
  const columns = 'NAME:.metadata.uid,READY:.status.conditions[?(@.type=="Ready")].status,GOING:.metadata.deletionTimestamp'
  const args = ['get', 'pods', '-l', selector, '--watch', '--no-headers', '-o', `custom-columns=${columns}`]
  const child = spawn(newestKubectl().path, args, { env: machine.env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = new Set<string>()
  const counts: number[] = []
  const expected = (await machine.kubectl(['get', 'pods', '-l', selector, '-o', 'name'])).trim().split('\n').length
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  createInterface(child.stdout).on('line', (line) => {
    const [uid = '', isReady, going] = line.split(/\s+/)
    if (isReady === 'True' && going === '<none>') ready.add(uid)
    else ready.delete(uid)
    // What was there before comes one by one.
    if (counts.length === 0 && ready.size < expected) return
    counts.push(ready.size)
    resolve()
  })
  await complete
  return { counts: () => counts, [Symbol.dispose]: () => void child.kill() }
}
