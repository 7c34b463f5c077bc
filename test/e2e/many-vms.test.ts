import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { testClusterHome } from '../support/place.ts'
import { repeats } from '../support/effort.ts'

const COUNT = repeats({ default: 5, long: 50 })

suite(`${COUNT} VMs at once on two nodes`, { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
  })
  after(() => machine[Symbol.asyncDispose]())

  const names = Array.from({ length: COUNT }, (_, index) => `vm-${index}`)

  test('all run, on both nodes', async () => {
    await machine.kubectl(['apply', '-f', '-'], names.map((name) => powerButtonVirtualMachine(machine, name)).join('\n---\n'))
    const phases = (): Promise<string> => machine.kubectl(['get', 'vmi', '-o', 'jsonpath={range .items[*]}{.status.phase}{"\\n"}{end}'])
    await eventually(
      async () => (await phases()).split('\n').filter((phase) => phase === 'Running').length === COUNT,
      async () => `not all run: ${await phases()}`,
      240_000,
    )
    const guests = machine.guests()
    assert.equal(guests.length, COUNT)
    for (const node of ['node-1', 'node-2'])
      assert.ok(
        guests.some(({ process }) => process.node === node),
        `${node} has none`,
      )
  })

  test('their deletion leaves no process, file, socket or object', async () => {
    await machine.kubectl(['delete', 'vm', '--all', '--timeout=240s'])
    const leftObjects = (): Promise<string> => machine.kubectl(['get', 'vm,vmi,pods,controllerrevisions', '-n', 'default', '-o', 'name'])
    await eventually(async () => (await leftObjects()) === '', leftObjects, 120_000)
    const guests = (): number => machine.guests().length
    await eventually(
      () => guests() === 0,
      () => `${guests()} guests still run`,
    )
    // On a cluster, test/kubernetes/crash.long.test.ts looks for files on its nodes.
    if (testClusterHome !== undefined) return
    const leftFiles = (): string[] => ['node-1', 'node-2'].flatMap((node) => launcherFolders(machine, node)).concat(readRunFolder(machine))
    await eventually(
      () => leftFiles().length === 0,
      () => `left over: ${leftFiles().slice(0, 5).join(', ')}`,
      30_000,
    )
  })
})

/** Returns the pod folders that belong to no component. */
function launcherFolders(machine: TestMachine, node: string): string[] {
  const pods = join(machine.home, 'nodes', node, 'pods')
  const used = new Set(machine.processes().map(({ pid }) => podFolderOf(pid)))
  return readdirSync(pods)
    .map((name) => join(pods, name))
    .filter((folder) => !used.has(folder))
}

function podFolderOf(pid: number): string {
  const environment = readdirSync('/proc').includes(String(pid))
    ? process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/environ`, 'utf8')
    : ''
  return (
    environment
      .split('\0')
      .find((line) => line.startsWith('POD_DIR='))
      ?.slice('POD_DIR='.length) ?? ''
  )
}

function readRunFolder(machine: TestMachine): string[] {
  try {
    return readdirSync(join(machine.home, 'run'))
  } catch {
    return []
  }
}
