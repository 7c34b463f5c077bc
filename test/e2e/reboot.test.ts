// Takes longer than 45 s: guests boot, twice.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { sample } from '../support/effort.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

/** One strategy that restarts guests in the default tier. */
const restarting = sample(['Always', 'RerunOnFailure'], 1)
const strategies = [...restarting, 'Once', 'Manual']
const nameOf = (strategy: string): string => strategy.toLowerCase()

/** Kills all processes including QEMU, as a power cut does. Directories and objects are kept. */
async function cutPower(machine: TestMachine): Promise<void> {
  await eventually(
    () => {
      for (const found of machine.processes()) signalProcess(found, 'SIGKILL')
      return machine.processes().length === 0
    },
    () => 'something still runs',
  )
}

test(
  'after a power cut, `up` restarts guests by run strategy, fails the other VMIs, and cleans up',
  { skip: machineModeOnly('cuts the power of the machine; test/kubernetes/cluster.long.test.ts does so with a node') },
  async () => {
    await using machine = await startMachine({ nodes: 2 })
    for (const runStrategy of strategies) {
      const manifest = powerButtonVirtualMachine(machine, nameOf(runStrategy), { runStrategy })
      await machine.kubectl(['apply', '-f', '-'], manifest)
    }
    await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'halted', { runStrategy: 'Halted' }))
    const restarted = restarting.map(nameOf)
    const running = [...restarted, 'once']
    await machine.kubectl(['wait', ...running.map((name) => `vm/${name}`), '--for=condition=Ready', '--timeout=90s'])
    const before = await uids(machine)
    await cutPower(machine)
    assert.ok(readdirSync(join(machine.home, 'run')).length >= running.length, 'sockets of guests were left')

    const up = await machine.steadyvm('up')
    assert.equal(up.code, 0, up.stderr)
    await eventually(
      async () => {
        const now = await uids(machine)
        return restarted.every((name) => now[name] !== undefined && now[name] !== before[name] && now[name].endsWith('Running'))
      },
      () => machine.kubectl(['get', 'vm,vmi,pods', '-o', 'wide']),
    )
    await eventually(
      async () => (await uids(machine))['once'] === before['once']?.replace('Running', 'Failed'),
      () => machine.kubectl(['get', 'vmi', 'once', '-o', 'yaml']),
    )
    const now = await uids(machine)
    assert.equal(now['manual'], undefined)
    assert.equal(now['halted'], undefined)
    const guests = machine.processes().filter(({ role }) => role === 'compute')
    assert.equal(guests.length, restarted.length)
    await eventually(
      // Sockets, and the link that names their pod.
      () => readdirSync(join(machine.home, 'run')).length === 2 * restarted.length,
      () => `in run/: ${readdirSync(join(machine.home, 'run')).join(', ')}`,
    )

    await machine.kubectl(['delete', 'vm', '--all', '--timeout=120s'])
    await eventually(
      () => leftPods(machine).length === 0 && readdirSync(join(machine.home, 'run')).length === 0,
      () => `left: ${leftPods(machine).join(', ')} ${readdirSync(join(machine.home, 'run')).join(', ')}`,
    )
  },
)

/** Returns `uid phase` of each VMI. */
async function uids(machine: TestMachine): Promise<Record<string, string>> {
  const path = '{range .items[*]}{.metadata.name} {.metadata.uid} {.status.phase}{"\\n"}{end}'
  const result = await machine.tryKubectl(['get', 'vmi', '-o', `jsonpath=${path}`])
  return Object.fromEntries(
    result.stdout
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', line.split(' ').slice(1).join(' ')] as const),
  )
}

/** Returns the directories of launcher pods. */
function leftPods(machine: TestMachine): string[] {
  return ['node-1', 'node-2'].flatMap((node) => {
    const pods = join(machine.home, 'nodes', node, 'pods')
    return readdirSync(pods).filter((uid) => existsSync(join(pods, uid, 'containers', 'compute')))
  })
}
