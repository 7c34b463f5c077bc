// Takes longer than 45 s: it kills components one after the other around two running guests.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { isAlive } from '#machine/supervisor/processes.ts'
import { sample } from '../support/effort.ts'
import { demoVirtualMachine, powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

suite(
  'kill -9 of any process while guests run',
  { skip: machineModeOnly('test/kubernetes/crash.long.test.ts kills processes of a cluster') },
  () => {
    let machine: TestMachine
    before(async () => {
      machine = await startMachine({ nodes: 2 })
      await machine.kubectl(['apply', '-f', '-'], demoVirtualMachine('one'))
      await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'two'))
      await machine.kubectl(['wait', 'vm/one', 'vm/two', '--for=condition=Ready', '--timeout=90s'])
      await guestUptime('one')
    })
    after(() => machine[Symbol.asyncDispose]())

    async function guestUptime(name: string): Promise<number> {
      return Number(await machine.inGuest('cut -d" " -f1 /proc/uptime', name))
    }

    function guestPids(): Set<number> {
      return new Set(
        machine
          .processes()
          .filter(({ role }) => role === 'compute')
          .map(({ pid }) => pid),
      )
    }

    async function isHealthy(): Promise<boolean> {
      return (await machine.steadyvm('status')).code === 0
    }

    /** Writes objects until it is stopped, and records the acknowledged ones. */
    function startWriter(prefix: string): { stop: () => Promise<string[]> } {
      const acknowledged: string[] = []
      let running = true
      const loop = (async () => {
        for (let index = 0; running; index++) {
          const name = `${prefix}-${index}`
          const result = await machine.tryKubectl(['create', 'configmap', name, '--from-literal=k=v'])
          if (result.code === 0) acknowledged.push(name)
          // What restarts needs the processors, too.
          await sleep(200)
        }
      })()
      return {
        stop: async () => {
          running = false
          await loop
          return acknowledged
        },
      }
    }

    async function surviveKilling(roles: readonly string[], prefix: string, restart: () => Promise<void>): Promise<void> {
      const before = await guestUptime('one')
      const qemu = guestPids()
      const writer = startWriter(prefix)
      await sleep(500)
      const targets = machine.processes().filter(({ role }) => roles.includes(role))
      assert.ok(targets.length > 0, `nothing of ${roles.join(', ')} runs`)
      for (const { pid } of targets) process.kill(pid, 'SIGKILL')
      await restart()
      await eventually(isHealthy, async () => (await machine.steadyvm('status')).stdout)
      await sleep(300)
      const acknowledged = await writer.stop()
      const stored = new Set(
        (await machine.kubectl(['get', 'configmaps', '-o', 'name']))
          .trim()
          .split('\n')
          .map((line) => line.replace('configmap/', '')),
      )
      assert.deepEqual(
        acknowledged.filter((name) => !stored.has(name)),
        [],
        'acknowledged writes are missing',
      )
      assert.ok((await guestUptime('one')) > before, 'the guest was restarted')
      assert.deepEqual(guestPids(), qemu)
      await machine.kubectl(['wait', 'vm/one', 'vm/two', '--for=condition=Ready', '--timeout=30s'])
    }

    for (const role of sample(['apiserver', 'virt-operator', 'virt-api', 'virt-controller', 'virt-handler', 'kubelet', 'supervisor'], 1)) {
      test(`${role} restarts, guests keep running, and no acknowledged write is lost`, () =>
        surviveKilling([role], `w-${role}`, async () => {}))
    }

    test('a leader that loses its lease restarts and leads again', async () => {
      const lost = ['virt-controller', 'virt-operator']
      const before = machine.processes().filter(({ role }) => lost.includes(role))
      assert.equal(before.length, lost.length)
      for (const name of lost) {
        const spec = { holderIdentity: 'another-process', leaseDurationSeconds: 1 }
        await machine.kubectl(['patch', 'lease', name, '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec })])
      }
      await eventually(
        () => before.every((process) => !isAlive(process)),
        () => 'a process without its lease still runs',
        60_000,
      )
      await eventually(isHealthy, async () => (await machine.steadyvm('status')).stdout)
    })

    test('after all of them at once, `steadyvm up` restarts the control plane and adopts the running guests', () =>
      surviveKilling(
        ['supervisor', 'kubelet', 'apiserver', 'virt-operator', 'virt-api', 'virt-controller', 'virt-handler'],
        'w-all',
        async () => {
          const result = await machine.steadyvm('up')
          assert.equal(result.code, 0, result.stderr)
        },
      ))

    test('a new VM starts afterwards', async () => {
      await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'three'))
      await machine.kubectl(['wait', 'vm/three', '--for=condition=Ready', '--timeout=60s'])
      await machine.kubectl(['delete', 'vm', 'three', '--timeout=60s'])
    })

    for (const { runStrategy, comesBack } of sample(
      [
        { runStrategy: 'Always', comesBack: true },
        { runStrategy: 'RerunOnFailure', comesBack: true },
        { runStrategy: 'Once', comesBack: false },
      ],
      1,
    )) {
      test(`a QEMU that is killed ${comesBack ? 'is started again' : 'is not started again'} under run strategy ${runStrategy}`, async () => {
        const name = `qemu-${runStrategy.toLowerCase()}`
        await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, name, { runStrategy }))
        await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=60s'])
        const uid = textAt(await machine.getJson('vmi', name), 'metadata.uid')
        const guest = machine.processes().find(({ role, pod }) => role === 'compute' && pod.includes(`virt-launcher-${name}-`))
        process.kill(guest?.pid ?? 0, 'SIGKILL')
        if (comesBack) {
          await eventually(
            async () => {
              const result = await machine.tryKubectl(['get', 'vmi', name, '-o', 'jsonpath={.metadata.uid} {.status.phase}'])
              return result.code === 0 && !result.stdout.startsWith(uid) && result.stdout.endsWith('Running')
            },
            () => machine.kubectl(['get', 'vm,vmi', '-o', 'wide']),
          )
        } else {
          await machine.kubectl(['wait', `vmi/${name}`, '--for=jsonpath={.status.phase}=Failed', '--timeout=30s'])
          await sleep(2_000)
          assert.equal(textAt(await machine.getJson('vmi', name), 'metadata.uid'), uid)
        }
        await machine.kubectl(['delete', 'vm', name, '--timeout=60s'])
      })
    }
  },
)
