// Takes longer than 45 s: guests boot the kernel for all machines, some of them twice.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { longTest } from '../support/effort.ts'
import { buildFullGuest, fullGuestImage, noFullKernel } from '../support/guests/guest-report.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { demoKernelArguments, demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { machineModeOnly } from '../support/place.ts'

const run = promisify(execFile)

/** Error policies of the disks of the guest that fills a file system, in the order of its disks. */
const policies = ['ignore', 'report', 'enospace', 'stop'] as const
const diskOf = (policy: string): string => `/dev/vd${'abcd'[(policies as readonly string[]).indexOf(policy)]}`

/** Crashes the kernel, after the console has answered. */
const panic = '(sleep 1; echo c >/proc/sysrq-trigger) >/dev/null 2>&1 &'
/** Opens the watchdog, whose time is a second, and feeds it never again. */
const stopFeeding = 'busybox watchdog -T 1 -t 600 /dev/watchdog'
const bootId = 'cat /proc/sys/kernel/random/boot_id'

/** Why disks cannot be put on a file system that is full; false where they can. */
const noFullDisks = machineModeOnly('mounts a file system on the node') || (process.getuid?.() !== 0 && 'mounting needs root')

/** While one guest boots, others are asked. */
const atOnce = { concurrency: true }
const inTurn = { concurrency: false }

suite('guests that fail', { ...atOnce, skip: noKubectl || noFullKernel }, () => {
  let machine: TestMachine
  let folder = ''
  before(async () => {
    machine = await useNamespace()
    await buildFullGuest(machine)
    if (noFullDisks === false) folder = await prepareDisks(machine)
    const vms = [
      failing(machine, 'panics', 'Always', { watchdog: dog('reset'), panicDevices: [{ model: 'pvpanic' }] }),
      failing(machine, 'hangs', 'Once', { watchdog: dog('poweroff') }),
      withDisks(failing(machine, 'fills', 'Once', { watchdog: dog('shutdown') }), folder !== ''),
    ]
    await machine.kubectl(['create', '-f', '-'], vms.join('\n---\n'))
    await untilGuestsRun(machine, ['panics', 'hangs', 'fills'])
  })
  after(async () => {
    await machine.kubectl(['delete', 'vm', '--all', '--timeout=60s'])
    if (folder !== '') await run('umount', ['-l', folder])
    if (folder !== '')
      await machine.kubectl(['delete', 'pv', ...policies.map((policy) => `${machine.namespace}-${policy}`), '--wait=false'])
    await machine[Symbol.asyncDispose]()
  })

  const eventsOf = (name: string): Promise<string> => machine.kubectl(['events', '--for', `vmi/${name}`])
  const untilTold = (name: string, event: RegExp): Promise<void> => {
    const isTold = async (): Promise<boolean> => event.test(await eventsOf(name))
    return eventually(isTold, () => eventsOf(name))
  }
  const uidOf = async (name: string): Promise<string> => textAt(await machine.getJson('vmi', name), 'metadata.uid')
  const untilStartedAgain = async (name: string, former: string): Promise<void> => {
    const path = '{.metadata.uid} {.status.phase}'
    await eventually(
      async () => {
        const { stdout } = await machine.tryKubectl(['get', 'vmi', name, '-o', `jsonpath=${path}`])
        return stdout.endsWith(' Running') && !stdout.startsWith(former)
      },
      () => eventsOf(name),
    )
  }
  const pauseOf = async (name: string): Promise<string> =>
    machine.kubectl(['get', 'vmi', name, '-o', 'jsonpath={.status.conditions[?(@.type=="Paused")].reason}'])

  suite('with a panic device, in a VM that always runs', inTurn, () => {
    test('a watchdog with action reset starts the guest anew, in the same VMI', async () => {
      const [uid, boot] = [await uidOf('panics'), await machine.inGuest(`${bootId}; ${stopFeeding}`, 'panics')]
      await untilTold('panics', /Warning\s+WatchdogExpired\s.*: it is reset\./)
      assert.notEqual(await machine.inGuest(bootId, 'panics'), boot)
      assert.equal(await uidOf('panics'), uid)
    })

    test('a guest that panics has failed, and its VM starts it again by its run strategy', async () => {
      const uid = await uidOf('panics')
      await machine.inGuest(panic, 'panics')
      await untilTold('panics', /Warning\s+GuestPanicked\s.*GuestPanicked/)
      await untilTold('panics', /Warning\s+Stopped\s.*The VirtualMachineInstance crashed: the guest panicked/)
      await untilStartedAgain('panics', uid)
      await machine.kubectl(['delete', 'vm', 'panics', '--wait=false'])
    })
  })

  suite('without a panic device, in a VM that runs once', inTurn, () => {
    longTest('a guest without panic device reboots by itself, in the same VMI', async () => {
      const [uid, boot] = [await uidOf('hangs'), await machine.inGuest(`${bootId}; ${panic}`, 'hangs')]
      await eventually(
        async () => (await machine.inGuest(bootId, 'hangs')) !== boot,
        () => 'the guest has not rebooted',
      )
      assert.equal(await uidOf('hangs'), uid)
    })

    test('a watchdog with action poweroff ends the guest as failed', async () => {
      await machine.inGuest(stopFeeding, 'hangs')
      await untilTold('hangs', /Warning\s+WatchdogExpired\s.*: it is switched off\./)
      await untilTold('hangs', /Warning\s+Stopped\s.*crashed: the watchdog of the guest expired/)
      const { phase = '', reason = '' } = (await machine.getJson('vmi', 'hangs'))['status'] ?? {}
      assert.deepEqual([phase, reason], ['Failed', 'WatchdogExpired'])
    })
  })

  suite('with disks, in a VM that runs once', inTurn, () => {
    test(
      'a full disk does what its error policy says, and a guest that it stops goes on when there is space',
      { skip: noFullDisks },
      async () => {
        const write = (policy: string): string => `dd if=/dev/zero of=${diskOf(policy)} bs=1M count=4 oflag=direct`
        await machine.inGuest(write('ignore'), 'fills')
        assert.match(await machine.inGuest(`${write('report')} 2>&1; true`, 'fills'), /Input\/output error|No space left/)
        for (const [policy, mebibytes] of [
          ['enospace', 8],
          ['stop', 16],
        ] as const) {
          await machine.inGuest(`(${write(policy)} && echo done >/${policy}) >/dev/null 2>&1 &`, 'fills')
          await eventually(
            async () => (await pauseOf('fills')) === 'PausedIOError',
            () => eventsOf('fills'),
          )
          await untilTold('fills', new RegExp(`Warning\\s+IOerror\\s.*VM Paused due to not enough space on volume: ${policy}`))
          await machine.kubectl(['wait', 'vm/fills', '--for=jsonpath={.status.printableStatus}=Paused'])
          await run('mount', ['-o', `remount,size=${mebibytes}M`, folder])
          assert.equal(await machine.inGuest(`until [ -e /${policy} ]; do sleep 1; done; cat /${policy}`, 'fills'), 'done')
          await untilTold('fills', new RegExp(`Normal\\s+Unpaused\\s.*there is space again on volume: ${policy}`))
          assert.equal(await pauseOf('fills'), '')
        }
      },
    )

    test('a watchdog with action shutdown asks the guest to power off', async () => {
      await machine.inGuest(stopFeeding, 'fills')
      await untilTold('fills', /Warning\s+WatchdogExpired\s.*: it is asked to power off\./)
      await machine.kubectl(['wait', 'vmi/fills', '--for=jsonpath={.status.phase}=Succeeded'])
    })
  })
})

function dog(action: string): object {
  return { name: 'dog', i6300esb: { action } }
}

/** Returns a VM whose kernel has drivers for watchdogs and panic devices. */
function failing({ namespace }: TestMachine, name: string, runStrategy: string, more: object): string {
  return editGuest(demoVirtualMachine(name, { namespace, runStrategy }), ({ domain, ...spec }) => ({
    ...spec,
    domain: {
      ...domain,
      firmware: {
        kernelBoot: {
          container: { image: fullGuestImage, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' },
          kernelArgs: demoKernelArguments,
        },
      },
      devices: { ...domain.devices, ...more },
    },
  }))
}

/** Adds a disk for each error policy, from claims of that name. */
function withDisks(vm: string, areThere: boolean): string {
  if (!areThere) return vm
  return editGuest(vm, ({ domain, ...spec }) => ({
    ...spec,
    domain: {
      ...domain,
      devices: { ...domain.devices, disks: policies.map((errorPolicy) => ({ name: errorPolicy, errorPolicy, disk: { bus: 'virtio' } })) },
    },
    volumes: policies.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
  }))
}

/** Makes claims on a file system that is too small for them; returns its mount point. */
async function prepareDisks(machine: TestMachine): Promise<string> {
  const { home, namespace } = machine
  const folder = join(home, namespace)
  await mkdir(folder)
  await run('mount', ['-t', 'tmpfs', '-o', 'size=3M,mode=777', 'small', folder])
  const shared = { accessModes: ['ReadWriteOnce'], storageClassName: namespace }
  const items = await Promise.all(
    policies.map(async (name) => {
      const path = join(folder, name)
      await mkdir(path)
      const hostPath = { path }
      const volume = { ...shared, capacity: { storage: '8Mi' }, hostPath, claimRef: { namespace, name } }
      return [
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${namespace}-${name}` }, spec: volume },
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name },
          spec: { ...shared, resources: { requests: { storage: '8Mi' } } },
        },
      ]
    }),
  )
  await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.flat() }))
  return folder
}
