import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { repeats } from '../support/effort.ts'
import { openStream } from '../support/guests/guest-streams.ts'
import { leaveStreams } from '../support/guests/leaving-clients.ts'
import { networked } from '../support/guests/networked-guests.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { machineModeOnly } from '../support/place.ts'

const COUNT = repeats({ default: 72, long: 10_000 })
const port = 9090

suite(
  `${COUNT} clients of streams that connect and leave`,
  { skip: machineModeOnly('it looks into the processes') || (podNetworkObstacle() ?? false) },
  () => {
    let machine: TestMachine
    before(async () => {
      machine = await startMachine()
      const vm = editGuest(networked(demoVirtualMachine('left')), (spec) => ({
        ...spec,
        domain: { ...spec.domain, devices: { ...spec.domain.devices, autoattachGraphicsDevice: true, clientPassthrough: {} } },
      }))
      await machine.kubectl(['create', '-f', '-'], vm)
      await untilGuestsRun(machine, ['left'])
      const address = textAt(await machine.getJson('vmi', 'left'), 'status.interfaces.0.ipAddress')
      await machine.inGuest(`until ip addr show eth0 | grep -q 'inet ${address}/'; do sleep 1; done`, 'left')
      await machine.inGuest(`(nc -ll -p ${port} -e cat >/dev/null 2>&1 &)`, 'left')
    })
    after(() => machine[Symbol.asyncDispose]())

    const streams = ['console', 'vnc', 'usbredir', `portforward/${port}`, `portforward/${port}/udp`, 'portforward/9'].map(
      (stream) => `virtualmachineinstances/left/${stream}`,
    )
    const leave = (count: number): Promise<void> => leaveStreams(machine, { streams, count, atATime: 8 })

    test('leave no open file, no connection and no memory, and the streams go on', async (t) => {
      // Every way at each stream: what is loaded and pooled once is there afterwards.
      await leave(36)
      const before = await atRest(machine)
      const started = performance.now()
      await leave(COUNT)
      t.diagnostic(`${((COUNT * 1000) / (performance.now() - started)).toFixed(0)} clients per second`)
      let now = before
      await eventually(
        async () => {
          now = await atRest(machine)
          return [...now].every(([name, { files }]) => files <= (before.get(name)?.files ?? 0))
        },
        () => `open files before: ${list(before)}; after: ${list(now)}`,
        120_000,
      )
      t.diagnostic(`before: ${list(before)}; after: ${list(now)}`)
      // A client that stayed would take ten times as much in the long tier. Idle processes return
      // memory after a while.
      const grown = (): (readonly [string, number])[] =>
        [...footprints(machine)].map(([name, { kib }]) => [name, kib - (before.get(name)?.kib ?? 0)] as const)
      await eventually(
        () => grown().every(([, kib]) => kib < 100 << 10),
        () => `KiB more: ${grown().join(', ')}`,
      )
      t.diagnostic(`KiB more: ${grown().join(', ')}`)

      const inGuest = await machine.inGuest(`grep -c ':${port.toString(16).toUpperCase()} .* 01 ' /proc/net/tcp; :`, 'left')
      assert.equal(inGuest, '0', 'connections in the guest')
      const echo = openStream(machine, `virtualmachineinstances/left/portforward/${port}`)
      await once(echo, 'open')
      echo.send(Buffer.from('still'))
      assert.equal(String(((await once(echo, 'message')) as [Buffer])[0]), 'still')
      echo.terminate()
      const display = openStream(machine, 'virtualmachineinstances/left/vnc')
      assert.match(String(((await once(display, 'message')) as [Buffer])[0]), /^RFB/)
      display.terminate()
    })
  },
)

/** What a process has: open files, and memory. */
interface Footprint {
  readonly files: number
  readonly kib: number
}

/** Returns the footprints of processes by their names, once the numbers of files do not change. */
async function atRest(machine: TestMachine): Promise<ReadonlyMap<string, Footprint>> {
  let found = footprints(machine)
  await eventually(
    async () => {
      const last = list(found, ({ files }) => String(files))
      await sleep(2_000)
      found = footprints(machine)
      return list(found, ({ files }) => String(files)) === last
    },
    () => `open files do not come to rest: ${list(found)}`,
  )
  return found
}

function footprints(machine: TestMachine): ReadonlyMap<string, Footprint> {
  return new Map(
    machine.processes().flatMap(({ role, node, pid }) => {
      // Its helpers come and go.
      if (role.startsWith('supervisor')) return []
      try {
        const files = readdirSync(`/proc/${pid}/fd`).filter((fd) => isConnection(pid, fd)).length
        const kib = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
        return [[`${role} ${node} ${pid}`.trim(), { files, kib }] as const]
      } catch {
        // It has ended.
        return []
      }
    }),
  )
}

/** Sockets and pipes, but no files of a database that come and go. */
function isConnection(pid: number, fd: string): boolean {
  try {
    return /^(socket|pipe|anon_inode):/.test(readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    return false
  }
}

function list(found: ReadonlyMap<string, Footprint>, text = ({ files, kib }: Footprint): string => `${files} files ${kib} KiB`): string {
  return [...found].map(([name, footprint]) => `${name}: ${text(footprint)}`).join(', ')
}
