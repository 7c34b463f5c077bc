import assert from 'node:assert/strict'
import { readlink, realpath } from 'node:fs/promises'
import { after, before, suite, test, type TestContext } from 'node:test'
import { newerQemu } from '#qemu/guest.fixture.ts'
import { startLoad } from '../support/load/api-load.ts'
import { EchoGuest } from '../support/guests/echo-guest.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { repeats } from '../support/effort.ts'

/** Number of guests. */
const size = repeats({ default: 1, long: 3 })
/** The checkout, with the QEMU of this machine; the next two have a newer one. */
const [a, b, c] = ['v0.1.0', 'v0.2.0', 'v0.3.0'] as const

suite(
  `${size} guests, an API that is used, and a system that goes to another hypervisor and back`,
  { skip: machineModeOnly('installs releases of machine mode') || newerQemu.skip },
  () => {
    let machine: TestMachine
    let guests: readonly EchoGuest[] = []

    const patch = (spec: object): Promise<string> =>
      machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec })])
    const move = (isOn: boolean): Promise<string> =>
      patch({ workloadUpdateStrategy: { workloadUpdateMethods: isOn ? ['LiveMigrate'] : [] } })
    const longestGap = (sinceMs: number): number => Math.round(Math.max(...guests.map((guest) => guest.longestGapMs(sinceMs))))
    const pids = (): string =>
      machine
        .guests()
        .map(({ process: { pid } }) => pid)
        .toSorted((one, other) => one - other)
        .join()

    /**
     * Upgrades the control plane to a version: guests are not changed, and no API request fails.
     */
    const go = async (t: TestContext, version: string): Promise<void> => {
      const [before, sinceMs] = [pids(), performance.now()]
      using load = await startLoad(machine)
      await patch({ imageTag: version })
      const kubevirt = (): Promise<KubeJson> => machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
      await eventually(
        async () => textAt(await kubevirt(), 'status.observedKubeVirtVersion') === version,
        async () => JSON.stringify((await kubevirt())['status']),
        300_000,
      )
      const { requests, retried, failed, slowestMs } = await load.stop()
      assert.deepEqual(failed, [])
      assert.equal(pids(), before, 'guests were started or stopped')
      const tookMs = performance.now() - sinceMs
      t.diagnostic(
        `to ${version} in ${Math.round(tookMs / 1000)} s: the longest time without an answer of a guest was ${longestGap(sinceMs)} ms`,
      )
      t.diagnostic(`${requests} requests, ${retried} sent more than once, none given up, the slowest took ${Math.round(slowestMs)} ms`)
    }

    /** Enables guest updates, and waits until each guest is in the launcher of the version. */
    const follow = async (t: TestContext, version: string): Promise<void> => {
      const sinceMs = performance.now()
      using load = await startLoad(machine)
      await move(true)
      const launchers = async (): Promise<string> =>
        machine.kubectl(['get', 'vmi', '-o', 'jsonpath={range .items[*]}{.status.launcherContainerImageVersion}{"\\n"}{end}'])
      await eventually(
        async () =>
          (await launchers())
            .trim()
            .split('\n')
            .every((image) => image.endsWith(`:${version}`)),
        async () => `${await launchers()}\n${await machine.kubectl(['get', 'vmim,pods,events', '-o', 'wide'])}`,
        120_000 + size * 20_000,
      )
      await eventually(
        () => machine.guests().length === size,
        () => `${machine.guests().length} QEMUs run`,
      )
      const { requests, retried, failed } = await load.stop()
      assert.deepEqual(failed, [])
      await move(false)
      t.diagnostic(
        `guests followed to ${version} in ${Math.round((performance.now() - sinceMs) / 1000)} s, one at most ${longestGap(sinceMs)} ms without an answer`,
      )
      const path = 'jsonpath={range .items[?(@.status.phase=="Failed")]}{.status.migrationState.failureReason}{"\\n"}{end}'
      const failures = (await machine.kubectl(['get', 'vmim', '-o', path])).trim()
      if (failures !== '') t.diagnostic(`moves that failed, and were tried again: ${failures.replaceAll('\n', '; ')}`)
      t.diagnostic(`${requests} requests meanwhile, ${retried} sent more than once, none given up`)
      for (const { process } of machine.guests()) {
        const program = await readlink(`/proc/${process.pid}/exe`)
        assert.ok(program.startsWith(await realpath(newerQemu.folder)), `a guest runs in ${program}`)
      }
    }

    const assertSteady = async (): Promise<void> => {
      const answered = guests.map(({ answers }) => answers.length)
      await eventually(
        () => guests.every(({ answers }, index) => answers.length > (answered[index] ?? 0)),
        () => 'not all guests answer',
      )
      for (const guest of guests) guest.assertSteady()
    }

    before(async () => {
      machine = await startMachine({ nodes: 3, soakSeconds: 2 })
      for (const version of [b, c]) {
        const { code, stderr } = await machine.steadyvm('release', 'build', '--version', version, '--qemu', newerQemu.folder)
        assert.equal(code, 0, stderr)
      }
      await machine.kubectl(['apply', '-f', '-'], demoVirtualMachine('load', { runStrategy: 'Halted' }))
      const names = Array.from({ length: size }, (_, index) => `guest-${index}`)
      guests = await EchoGuest.startAll(machine, names)
    })
    after(async () => {
      for (const guest of guests) guest[Symbol.dispose]()
      await machine[Symbol.asyncDispose]()
    })

    test('to a release with a newer hypervisor', async (t) => {
      await go(t, b)
      await assertSteady()
      await follow(t, b)
      await assertSteady()
    })

    test('back, while guests stay in the newer hypervisor', async (t) => {
      await go(t, a)
      await assertSteady()
    })

    test('to the next version but one, and guests are migrated', async (t) => {
      await go(t, c)
      await follow(t, c)
      await assertSteady()
    })
  },
)
